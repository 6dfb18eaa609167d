"""The benchmarks: their plain reference solutions, their tables, and what counts as a fault."""

from decimal import Decimal

import pytest

from benchmarks.peers import models
from benchmarks.peers.solvers import Peer, functions
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
