"""The benchmarks: their plain reference solutions, their tables, and what counts as a fault."""

from decimal import Decimal

import numpy as np
import pytest
import qnsolve as qn

from benchmarks import everything, feature_pairs, same_questions, system_accuracy, system_references
from benchmarks.families import all_systems, rough_loads
from benchmarks.ladders import ladder_accuracy
from benchmarks.ladders.ladder_accuracy import Judged
from benchmarks.ladders.line_simulation import Line, Round, Times, Turns, simulated
from benchmarks.peers import models
from benchmarks.peers.solvers import Peer, functions
from benchmarks.system_accuracy import Checked, WorkError
from benchmarks.system_references import Reference, Truth
from benchmarks.timing import targets
from benchmarks.timing.table import Row, duration, solver_table
from benchmarks.timing.targets import Target
from tests.oracles import plain_loops, raw_models

MODELS = models.load()[1]


def test_the_reference_gives_the_published_throughput():
    """The plain convolution in 50 digits gives X = 3.996098682941637 for 16 servers and 500 jobs."""
    found = plain_loops.reference(MODELS["c_ms16_b"])
    assert found.throughput[0] == pytest.approx(3.996098682941637, abs=1e-12)
    assert sum(found.queue_length[0]) + 20 * found.throughput[0] == pytest.approx(500, rel=1e-13)


@pytest.mark.parametrize("name", ["b_closed_100", "c_ms16_b", "h_2c_ms16", "o_3x4", "o_3x4_ms8", "a_mmc"])
def test_the_plain_implementation_in_doubles_agrees_with_the_reference(name):
    """Loops in doubles and loops in decimals give the same numbers."""
    off = raw_models.errors(plain_loops.solve(MODELS[name]), plain_loops.reference(MODELS[name]))
    assert max(off) < 1e-11


def test_plain_mean_value_analysis_agrees_with_plain_convolution():
    """Two unlike algorithms, with several classes, give the same numbers."""
    model = raw_models.Model("small", "", ((0.1, 0.3), (0.2, 0.05)), (1, 1), (4, 3), (1.0, 0.5))
    assert max(raw_models.errors(plain_loops.mva(model), plain_loops.reference(model))) < 1e-14
    one = raw_models.Model("one", "", ((0.1, 0.3),), (1, 1), (7,), (1.0,))
    assert max(raw_models.errors(plain_loops.mva_one_class(one), plain_loops.reference(one))) < 1e-14


def test_erlang_c_by_hand():
    """Two servers at a load of one erlang: an arrival waits with probability 1/3, for any number type."""
    assert plain_loops.erlang_c(2, 1.0) == pytest.approx(1 / 3, rel=1e-15)
    assert abs(plain_loops.erlang_c(2, Decimal(1)) - Decimal(1) / 3) < Decimal("1e-27")


def test_the_plain_convolution_refuses_what_it_cannot_do():
    """Two multi-server stations raise an error: no wrong reference."""
    model = raw_models.Model("two", "", ((0.1, 0.3),), (2, 2), (7,), (1.0,))
    with pytest.raises(ValueError, match="one multi-server station"):
        plain_loops.reference(model)


def test_a_wrong_number_fails_the_run_and_a_missed_limit_does_not():
    """Faults are errors above 1e-9 of qnsolve's own rows, and wrong answers; not times, not other solvers."""
    rows = [
        Row("m", "qnsolve solve()", 1.0, 1.0, 2e-9, 0.0),
        Row("m", "Octave qncsmva", 1.0, -1.0, 2.0, 2.0),
        Row("m", "qnsolve one_class", 1.0, float("nan"), float("nan"), 0.0),
    ]
    slow = Target("m", "X = 1", "1", True, "9 s", "1 s", False)
    assert slow.verdict == "missed"
    assert len(targets.wrong(rows, [slow])) == 2
    bad = Target("m", "X = 2", "1", False, "9 s", "1 s", True)
    assert bad.verdict == "WRONG"
    assert len(targets.wrong([], [slow, bad])) == 1


def test_the_error_of_an_answer_that_is_not_a_number_is_not_hidden():
    """A nan among right numbers counts as an error."""
    right = raw_models.Answer([1.0, 2.0], [[1.0], [1.0]])
    off, _ = raw_models.errors(raw_models.Answer([1.0, float("nan")], [[1.0], [1.0]]), right)
    assert not off <= targets.MOST_ERROR


def test_other_solvers_are_asked_only_what_they_have_an_exact_method_for():
    """PDQ: no closed multi-server network, no four classes; Octave: no open one; LINE: every model."""
    pdq, octave, line = (Peer(name, ("x",), "") for name in ("PDQ", "Octave", "LINE"))
    assert functions(pdq, MODELS["c_ms16_b"]) == functions(pdq, MODELS["d_4x5_20"]) == []
    assert functions(pdq, MODELS["d_3x5_50"]) == ["EXACT"]
    assert [model.name for model in MODELS.values() if not functions(octave, model)] == ["o_3x4_ms8"]
    assert all(functions(line, model) for model in MODELS.values())


def test_the_table_shows_each_time_as_a_multiple_of_qnsolve():
    """The ratio is the solver's time over qnsolve's; what there is no figure for is a dash."""
    lines = solver_table([Row("m", "qnsolve solve()", 2e-3), Row("m", "LINE pfqn_mva", 1.0), Row("all", "PDQ")]).splitlines()
    assert [line.split() for line in lines[2:]] == [
        ["m", "qnsolve", "solve()", "2.00", "ms", "1", "-", "-", "-"],
        ["LINE", "pfqn_mva", "1.00", "s", "500", "-", "-", "-"],
        ["all", "PDQ", "-", "-", "-", "-", "-"],
    ]


@pytest.mark.parametrize(("seconds", "shown"), [(1.5, "1.50 s"), (0.99996, "1.00 s"), (12e-3, "12.0 ms"), (5e-8, "0.05 us")])
def test_times_have_three_figures_and_a_unit(seconds, shown):
    """Seconds, milliseconds or microseconds, whichever is at least one."""
    assert duration(seconds) == shown


@pytest.mark.parametrize("family", all_systems.FAMILIES)
def test_each_family_draws_systems_that_load_and_draws_them_again(family):
    """The same seed gives the same system, another salt another one; no system asks for more CPs than its LPARs have."""
    one = all_systems.drawn(family, 0, salt=5)
    assert one.digest == all_systems.drawn(family, 0, salt=5).digest
    assert one.digest != all_systems.drawn(family, 0, salt=6).digest
    assert one.system.name == one.name == f"{family} 0"


def test_rates_of_tasks_that_are_always_there_are_those_of_one_queue():
    """A delay and one server (machine repairman): 3 tasks of 2 s away and 1 s served do 3 ÷ (2 + R) = 0.7895/s."""
    rates = rough_loads.closed_rates(away=2.0, qr=1.0, cpu=0.0, engines=1.0)
    assert [next(rates) for _ in range(3)] == pytest.approx([1 / 3, 0.6, 15 / 19], rel=1e-12)


def test_the_half_width_of_a_reference_is_taken_off_the_error():
    """An answer within the interval of the reference has no error; one beyond it what is beyond."""
    drawn = all_systems.drawn("small", 0, salt=5)
    answer = drawn.system.solve()["W0"]
    near = Truth(answer.etr, 0.0, answer.response_time / 1.005, 0.01 * answer.response_time / 1.005)
    far = Truth(answer.etr / 1.02, 0.0, answer.response_time / 1.05, 0.01 * answer.response_time / 1.05)
    for truth, response, throughput in ((near, 0.0, 0.0), (far, 0.04, 0.02)):
        found = system_accuracy.checked(Reference(drawn, (1,), {"W0": truth}, {"LP0": 0.5}, {}))
        assert found.response == pytest.approx(response, abs=1e-12)
        assert found.throughput == pytest.approx(throughput, abs=1e-12)
        assert "| 1 |" in system_accuracy.table([found])


def test_two_runs_of_a_reference_are_joined_by_their_precision():
    """Intervals of ±0.1 and ±0.2 about 1.0 and 1.1: weights of 4 to 1, and the interval that both have together."""
    joined = Truth(5.0, 0.0, 1.0, 0.1).joined(Truth(5.0, 0.0, 1.1, 0.2))
    assert joined.response == pytest.approx(1.02)
    assert joined.response_half == pytest.approx(0.2 / 5**0.5)
    assert (joined.throughput, joined.throughput_half) == (5.0, 0.0)


@pytest.mark.parametrize("salt", [0, 1])
def test_stored_references_agree_with_closed_forms_where_there_are_some(salt):
    """One region and one work: M/M/m, M/M/1, or users of m servers, solved exactly, within twice the half widths."""
    seen = 0
    for name, reference in system_references.load(salt).items():
        data, truth = reference.drawn.data, reference.works.get("W0")
        work = data["work"][0]
        step = work["steps"][0]
        if truth is None or reference.drawn.family != "small" or ("qr_cpu" in step and step.get("qr_dispatches", 1) > 1):
            continue
        servers = data["lpars"][0]["processors"] if "open_cpu" in step else 1
        stations = [qn.Queue("q", servers=servers), qn.Delay("d")]
        demands = {"q": step.get("open_cpu") or step["qr_cpu"], "d": step.get("delay", 0.0)}
        if "rate" in work:
            kind = qn.OpenClass("w", arrival_rate=work["rate"], demands=demands)
        else:
            kind = qn.ClosedClass("w", population=work["users"], think_time=work["think_time"], demands=demands)
        exact = qn.solve(qn.Network(stations, [kind]))["w"]
        assert abs(exact.response_time - truth.response) <= 2 * truth.response_half, name
        assert abs(exact.throughput - truth.throughput) <= 2 * truth.throughput_half + 1e-5 * truth.throughput, name
        seen += 1
    assert seen >= 6


def test_the_errors_of_a_region_of_use_hold_95_of_100_works():
    """Each work is counted in its own region; at most 5 of 100 are beyond what is written for theirs."""
    draw = np.random.default_rng(3)
    found = []
    for reference in system_references.load(0).values():
        errors = draw.exponential(0.02, len(reference.works))
        works = [WorkError(name, error, 0.0, error, None, None) for name, error in zip(reference.works, errors, strict=True)]
        found.append(Checked(reference, 0.0, tuple(works)))
    rows = system_accuracy.regions(system_accuracy.errors_of(found))
    most = {(row["uneven"], row["center"], row["limit"]): row["most"] for row in rows}
    every = [(system_accuracy.use_of(one.reference)[work.work].cell, work.of_answer) for one in found for work in one.works]
    assert sum(row["works"] for row in rows) == len(every)
    assert np.mean([error > most[cell] for cell, error in every]) <= 0.05
    assert all(row["most"] >= row["mean"] for row in rows)


def test_one_question_in_two_ways() -> None:
    """A system of a family, asked for in every way: the answers differ by next to nothing, or are told."""
    reference = system_references.load(3)["MXT open 2"]
    found = same_questions.asked(reference, [*same_questions.WAYS, "load"])
    assert {one.way for one in found} >= {"longer", "order", "names", "higher work", "load"}
    assert max(one.off for one in found) < 0.01
    assert "| longer | 1 | 0 | 0 | 0 |" in same_questions.table(found)


@pytest.mark.parametrize(
    ("plan", "rate"),
    [
        (Round((Line(2, Times(0.01)),), Times(0.02)), None),
        (Round((Turns(Times(0.01, 4.0), lambda n: min(n, 2)),), Times(0.02, 0.25)), None),  # whatever the distribution
        (Round((Line(9, Times(0.01)),), Times(0.02), threads=2), None),
        (Round((Turns(Times(0.01, 1.0, "lognormal"), lambda n: min(n, 2)),), Times(0.01), think=0.01), None),
        (Round((Line(1, Times(0.01, 0.0)),), Times(1e-6, 0.0)), 100.0),
    ],
)
def test_simulated_ladders_are_those_of_known_networks(plan: Round, rate: float | None) -> None:
    """Two servers and a delay in five forms have one exact rate; by Little's law the mean response follows."""
    if rate is None:
        demands = {"cpu": 0.01, "delay": 0.02}
        users = qn.ClosedClass("users", population=8, demands=demands)
        rate = qn.solve(qn.Network([qn.Queue("cpu", servers=2), qn.Delay("delay")], [users]))["users"].throughput
    found = simulated(plan, 8, [1, 2])
    assert found[0] == pytest.approx(rate, rel=0.02)
    network = plan.network.mean  # not of the first response
    assert found[1] == pytest.approx(8 / found[0] - plan.think, rel=0.02, abs=network)
    assert found[2] <= found[3] <= found[4]


def test_the_table_of_ladders() -> None:
    """A row a figure and kind that there is, and one of all."""
    found = [
        Judged("store", "rate", np.array([0.01, 0.03]), 1.0, 0.1),
        Judged("database", "rate", np.array([0.08, 0.06]), 0.5, 0.2),
    ]
    _, _, *rows = ladder_accuracy.lines(found)
    assert rows[-1] == "| rate | all | 2 | 4.5, 4.5 % | 4.5, 7.0 % | 1 | 75.0 % | 15 % |"
    assert [row.split(" | ")[1] for row in rows] == ["database", "store", "all"]


def test_features_are_of_one_system(capsys: pytest.CaptureFixture[str]) -> None:
    """Each of them changes the system and can be solved with others; what is far off is listed, and counted."""
    plain = feature_pairs.system_of(())
    for name in feature_pairs.FEATURES:
        assert feature_pairs.system_of([name]) != plain, name
    both = feature_pairs.system_of(["TOR", "bursts of shorter"], 0.5)
    assert (both.work[1].burst, both.work[1].rate, both.regions[1].name) == (6, 300, "TOR")
    assert feature_pairs.main(["--together", "2", "--number", "3", "--seed", "2", "--jobs", "20000"]) == 0
    assert "systems, 0 refused: mean" in capsys.readouterr().out
    assert [len(list(feature_pairs.chosen(*how))) for how in ((2, 0, 0), (4, 5, 1))] == [406, 5]


def test_systems_of_everything_are_stored_with_their_references(capsys: pytest.CaptureFixture[str]) -> None:
    """Each is a system, its works are those of the reference; some are solved, and simulated again."""
    stored = everything.references()
    assert len(stored) > 400
    assert {one.drawn.family for one in stored} == set(everything.SIZES)
    for one in stored:
        assert [work["name"] for work in one.drawn.data["work"]] == list(one.works)
    small = [one for one in stored if one.drawn.family == "1 region" and len(one.works) == 1][:3]
    found = [system_accuracy.checked(everything.known(one)) for one in small]
    assert "1 region" in system_accuracy.table(found, everything.SIZES, "systems of")
    assert all(everything.use_of_answer(one).keys() == one.works.keys() for one in small)
    assert everything.apart(small[0], jobs=40_000) < everything.FAR
    assert capsys.readouterr().out == ""
