"""Each example answers its question; the answers are asserted here."""

import importlib.util
from pathlib import Path

import pytest
import qnsolve as qn
from qnsolve import zos

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name):
    """The main() of an example script."""
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main()


def test_every_example_is_asserted_here():
    """No example is added without its test."""
    known = {"cics-cfdt.toml", "cics-mxt.toml", "cics-region.toml", "one-more-cp.py", "threadsafe.py"}
    assert {p.name for p in EXAMPLES.iterdir() if p.is_file()} >= known
    text = Path(__file__).read_text(encoding="utf-8")
    assert all(p.stem in text for p in EXAMPLES.iterdir() if p.is_file())


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


def test_cics_region_spends_what_its_work_asks_for():
    """CPU by hand from the file: TCBs, 2.4 us a change, 5 and 6 us a request; the tasks of a TRANCLASS by Little's law."""
    result = zos.load(EXAMPLES / "cics-region.toml").solve()
    assert result["orders"].cpu == pytest.approx(0.00011 + 0.00012 + 0.0011 + 2 * 2.4e-6, rel=1e-9)
    requests = 40 * 5e-6 + 90 * 6e-6
    assert result["reports"].cpu == pytest.approx(0.00011 + 0.006 + 0.002 + 80 * 2.4e-6 + requests, rel=1e-3)
    assert result["CF1"].requests == pytest.approx(90 * 130)
    assert result["orders"].etr == pytest.approx(6000 / (4 + result["orders"].response_time), rel=1e-6)
    inside = result["reports"].response_time - 0.00013605
    assert sum(t.tasks for t in result.tranclasses) == pytest.approx(90 * inside, rel=1e-3)
    assert all(t.at_limit_percent < 0.1 for t in result.tranclasses)
    assert result["DFHLOG"].mib_per_second == pytest.approx(900 * result["orders"].etr / 2**20)


def test_a_threadsafe_program_takes_the_qr_tcb_out_of_the_way():
    """QUASIRENT stops at the QR TCB: its users over its own time; THREADSAFE and REQUIRED carry next year."""
    answers = run("threadsafe")
    change = 3000 / 1270e6
    full = answers["next year"].after
    on_qr = 0.00015 + 0.0009 + 0.00006 + 60 * change  # half of 120 changes
    assert full["AOR1"].qr_percent == pytest.approx(100, abs=0.1)
    assert full["orders"].etr == pytest.approx(1 / on_qr, rel=0.02)
    for name, modes in (("THREADSAFE", 8), ("REQUIRED", 8)):
        answer = answers[f"next year, {name}"]
        saved = answer.before["orders"].cpu - answer.after["orders"].cpu
        assert saved == pytest.approx((120 - modes) * change, rel=1e-9)
        assert answer.after["AOR1"].qr_percent < 30
        assert answer.after["orders"].response_time < answer.before["orders"].response_time / 5
