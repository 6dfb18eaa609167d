"""Every error is one line of at most 300 characters, whatever the model holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.errors import LONGEST, one_line, suggestion

LONG = "x" * 2_000_000
SITE = qn.Network([qn.Queue("cpu")], [qn.ClosedClass("batch", population=2, think_time=1.0, demands={"cpu": 1.0})])
SYSTEM = qn.loads(
    'lpars = [{name = "PROD", processors = 8}]\nregions = [{name = "AOR1", lpar = "PROD"}]\n'
    'work = [{name = "inquiry", rate = 100, regions = "AOR1", qr_cpu = 0.001}]'
)


def test_one_line_keeps_head_and_tail_of_a_long_text() -> None:
    """The middle is left out; line breaks become blanks."""
    text = one_line("head\n" + LONG + "\ntail")
    assert len(text) == LONGEST
    assert text.startswith("head x")
    assert text.endswith("x tail")
    assert " ... " in text
    assert one_line("a \n b") == "a b"


@pytest.mark.parametrize(
    "error",
    [
        qn.ModelError(LONG, "rule", "repair", LONG),
        qn.ModelError("item", LONG, "repair"),
        qn.ModelError("item", "rule", LONG),
        qn.SaturatedError(LONG, 1.5, 2.0, "repair", LONG),
        qn.NoMethodError({"exact": LONG}),
        qn.NoMethodError({str(i): LONG + str(i) for i in range(20)}),
        qn.ConvergenceError(LONG, 0.5),
        qn.LawError(one_line(LONG)),
    ],
    ids=lambda error: type(error).__name__,
)
def test_messages_are_bounded(error: qn.QnsolveError) -> None:
    """At most 300 characters, one line."""
    assert len(str(error)) <= LONGEST
    assert "\n" not in str(error)


def test_a_long_item_leaves_rule_and_repair_readable() -> None:
    """The item is shortened, not the rest."""
    text = str(qn.ModelError(f"class {LONG!r}: demands", "must be a number", "write 0.5", LONG))
    assert text.startswith("class 'xxx")
    assert text.endswith("must be a number; write 0.5")


def test_a_key_of_megabytes_is_a_short_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown key of 2 MB in a model file."""
    file = tmp_path / "model.toml"
    file.write_text(
        f'stations = [{{name = "cpu", {LONG} = 1}}]\nclasses = [{{name = "a", population = 1, demands = {{cpu = 1}}}}]'
    )
    assert main(["solve", str(file)]) == 2
    line = capsys.readouterr().err
    assert len(line) <= LONGEST + len(str(file)) + 3
    assert line.count("\n") == 1


def test_known_names_are_shortened() -> None:
    """A list of known names stays short too."""
    assert len(suggestion(LONG, [LONG, "cpu"])) < 300


def test_a_refusal_shows_three_reasons_and_how_to_see_the_rest() -> None:
    """Reasons of many methods first, reasons about other kinds of model last; `reasons` holds all."""
    reasons = {"a": "for open classes only", "b": "limit 'L'", "c": "limit 'L'", "d": "too many states", "e": "for one class"}
    error = qn.NoMethodError(reasons)
    assert error.reasons == reasons
    text = str(error)
    assert text.startswith("no method accepts this model: limit 'L'; too many states; for open classes only")
    assert text.endswith("(1 more: qnsolve methods FILE, or qnsolve.methods(model))")


def test_a_refusal_shows_whole_reasons() -> None:
    """A reason that would not fit is left to the list of all."""
    text = str(qn.NoMethodError({"a": "y" * 150, "b": "z" * 150, "c": "too many states"}))
    assert text.startswith(f"no method accepts this model: {'y' * 150}; too many states (1 more: ")


def test_a_refusal_of_all_methods_for_one_reason_says_it_once() -> None:
    """One reason, no list of methods."""
    assert str(qn.NoMethodError({"a": "no jobs", "b": "no jobs"})) == "no method accepts this model: no jobs"
    assert str(qn.NoMethodError({"a": "no jobs"})) == "method a does not accept this model: no jobs"


CALLS: dict[str, Callable[[Any], object]] = {
    "solve": qn.solve,
    "methods": qn.methods,
    "sweep": lambda model: qn.sweep(model, "batch", population=[1, 2]),
    "bounds": qn.bounds,
    "bottleneck": qn.bottleneck,
    "bottleneck_switches": lambda model: qn.bottleneck_switches(model, "batch", [1, 2]),
    "sensitivity": qn.sensitivity,
    "verify": qn.verify,
    "response_percentile": lambda model: qn.response_percentile(model, "batch", 0.9),
    "highest_rate": lambda model: qn.highest_rate(model, "batch", response_time=1.0),
    "highest_population": lambda model: qn.highest_population(model, "batch", response_time=1.0),
    "fewest_servers": lambda model: qn.fewest_servers(model, "cpu", of="batch", response_time=1.0),
    "compare": lambda model: qn.compare(model, SITE),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("wrong", [3, "x", None, qn.Network, [SITE]], ids=repr)
def test_a_wrong_type_is_a_model_error(call: str, wrong: object) -> None:
    """Item, value, rule and repair, whatever is passed in place of a model."""
    if call == "methods" and wrong is None:
        return  # all methods, without a model
    with pytest.raises(qn.ModelError, match=r"^model = .*must be a Network.*load") as found:
        CALLS[call](wrong)
    assert len(str(found.value)) <= LONGEST


@pytest.mark.parametrize("call", [name for name in CALLS if name not in ("solve", "compare")])
def test_a_system_is_refused_where_a_network_is_needed(call: str) -> None:
    """The repair names the network of the system."""
    with pytest.raises(qn.ModelError, match=r"must be a Network; systems have solve\(\)"):
        CALLS[call](SYSTEM)


def test_a_model_for_which_memory_does_not_suffice_takes_another_method() -> None:
    """300 classes at 1000 stations: the Linearizer would need 18 GB, Schweitzer takes little."""
    names = [f"s{k}" for k in range(1000)]
    classes = [qn.ClosedClass(f"c{r}", population=3, think_time=1.0, demands=dict.fromkeys(names, 0.01)) for r in range(300)]
    model = qn.Network([qn.Queue(name) for name in names], classes)
    with pytest.raises(qn.NoMethodError, match=r"need 18\.1 GB of memory by linearizer, at most 4 GB are allowed"):
        qn.solve(model, method="linearizer")
    assert next(report.name for report in qn.methods(model) if report.auto) == "schweitzer"


@pytest.mark.parametrize("method", ["qna", "fcfs"])
def test_other_methods_refuse_what_memory_does_not_hold(method: str) -> None:
    """General arrivals, or first come first served, at a size whose arrays would take more than the bound."""
    names = [f"s{k}" for k in range(1000)]
    demands = dict.fromkeys(names, 1e-6)
    classes: list[qn.OpenClass | qn.ClosedClass] = [
        qn.OpenClass(f"c{r}", arrival_rate=1.0, arrival_variation=2.0, demands=demands)
        if method == "qna"
        else qn.ClosedClass(f"c{r}", population=3, think_time=1.0, demands=demands)
        for r in range(100)
    ]
    model = qn.Network([qn.Queue(name, discipline="fcfs") for name in names], classes)
    with pytest.raises(qn.NoMethodError, match=rf"100 classes at 1000 stations need .* GB of memory by {method}"):
        qn.solve(model, method=method)
