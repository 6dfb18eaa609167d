"""Each example answers its question; the answers are asserted here."""

import importlib.util
from pathlib import Path

import pytest
import qnsolve as qn

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name):
    """The main() of an example script."""
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main()


def test_every_example_is_asserted_here():
    """No example is added without its test."""
    assert {p.name for p in EXAMPLES.iterdir() if p.is_file()} == {"cics-cfdt.toml", "cics-mxt.toml", "one-more-cp.py"}


def test_cics_cfdt_saturates_its_qr_tcb():
    """The region stops where IBM measured it: 2204.22/s within 0.3 %, 131.748 ms within 2 %."""
    result = qn.solve(qn.load(EXAMPLES / "cics-cfdt.toml"))
    assert result["terminals"].bottleneck == "QR TCB"
    assert result["terminals"].throughput == pytest.approx(2204.22, rel=0.003)
    assert result["terminals"].response_time == pytest.approx(0.131748, rel=0.02)


def test_one_more_cp_does_not_help_a_full_qr_tcb():
    """A CP more changes nothing; moving work off the QR TCB does."""
    answers = run("one-more-cp")
    assert answers["next year"].split(": ")[1] == answers["next year, one more CP"].split(": ")[1]
    assert "highest stable rate is 200/s" in answers["next year, 20 % more"]
    assert answers["next year, 20 % more, threadsafe"].endswith("bottleneck CPs, limit 600/s")


def test_mxt_80_holds_next_year_and_60_does_not():
    """At MXT 80 fewer than one transaction in a hundred waits; 60 lets fewer through than arrive."""
    model = qn.load(EXAMPLES / "cics-mxt.toml")
    result = qn.solve(model)
    assert result["inquiry"].fraction_delayed < 0.01
    assert result["report"].delayed_wait == pytest.approx(0.36, rel=0.05)
    assert result["MXT"].number_inside == pytest.approx(58.7, rel=1e-2)
    with pytest.raises(qn.SaturatedError, match="'MXT' is saturated") as told:
        qn.solve(model.replace("MXT", capacity=60))
    assert 300 < told.value.highest_rate < 320
