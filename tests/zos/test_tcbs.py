"""Changes of TCB by the rules of CICS, and programs made threadsafe."""

from __future__ import annotations

import csv
import itertools
from typing import Any

import pytest
import qnsolve as qn
from qnsolve import zos

from tests import ROOT

PUBLISHED = ROOT / "validation/published/cics-perf"
PROGRAM = zos.Program(
    task_cpu=0.0001, application_cpu=0.0008, db2_calls=200, db2_cpu=0.0007, non_threadsafe_commands=4, non_threadsafe_cpu=4e-5
)


def rows(number: str) -> list[dict[str, str]]:
    """The printed rows of a table of rules."""
    with (PUBLISHED / f"table-{number}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def walked(arrows: str, times: int) -> int:
    """Switches of so many commands, one after another, from the arrows of a printed rule."""
    return times * arrows.count("->")


def alternated(calls: int, commands: int) -> int:
    """Switches of a THREADSAFE task by running it: every order of calls and commands, the one with the most."""
    most = 0
    for order in set(itertools.permutations("D" * calls + "N" * commands)):
        tcb, switches = "QR", 0
        for command in order:
            wanted = "L8" if command == "D" else "QR"
            switches += wanted != tcb
            tcb = wanted
        most = max(most, switches + (tcb != "QR"))  # the task ends on the QR TCB
    return most


@pytest.mark.parametrize("calls", [0, 1, 7])
@pytest.mark.parametrize("commands", [0, 1, 5])
def test_rules_as_printed(calls: int, commands: int) -> None:
    """Tables 4-1 (QUASIRENT, REQUIRED), 4-2 and 4-3: a switch for each printed arrow, to the first TCB and back."""
    asked = {"db2_calls": calls, "non_threadsafe_commands": commands}
    printed = [(row, {"concurrency": row["concurrency"]}) for row in rows("4-1") if row["concurrency"] != "THREADSAFE"]
    for number, kind in (("4-2", {"api": "OPENAPI"}), ("4-3", {"api": "OPENAPI", "xplink": True})):
        for row in rows(number):
            region = {"stgprot": row["stgprot"] == "YES", "execkey": row["execkey"]}
            printed.append((row, {"concurrency": "REQUIRED", **kind, **region}))
    assert len(printed) == 10
    for row, kind in printed:
        expected = walked(row["db2_or_mq_command"], calls) + walked(row["non_threadsafe_cics_command"], commands)
        expected += 2 * (row["initial_tcb"] != "QR")
        assert zos.change_modes(**kind, **asked) == expected, row


@pytest.mark.parametrize(("calls", "commands"), [(0, 0), (0, 3), (1, 0), (4, 0), (3, 1), (2, 2), (4, 3), (2, 5)])
def test_a_threadsafe_task_goes_back_and_forth(calls: int, commands: int) -> None:
    """The count is that of the order with the most switches, tried one by one; fewer turns, fewer switches."""
    found = zos.change_modes("THREADSAFE", db2_calls=calls, non_threadsafe_commands=commands)
    assert found == alternated(calls, commands)
    if calls and commands:
        assert zos.change_modes("THREADSAFE", db2_calls=calls, non_threadsafe_commands=commands, turns=1) == 2


def test_transient_data_and_db2() -> None:
    """Table 5-17: 300, 302 and 2 by the rules; printed are 302, 306 and 8 with the first of all calls."""
    counts = [
        zos.change_modes("THREADSAFE", db2_calls=150, non_threadsafe_commands=150),
        zos.change_modes("REQUIRED", db2_calls=150, non_threadsafe_commands=150),
        zos.change_modes("REQUIRED", db2_calls=150),
    ]
    assert counts == [300, 302, 2]


def test_a_program_keeps_its_cpu() -> None:
    """However it is defined, its CPU is the same; only where it runs and the changes of TCB differ."""
    forms = {name: PROGRAM.step(name) for name in PROGRAM.concurrencies}
    for form in forms.values():
        assert form["qr_cpu"] + form["open_cpu"] == pytest.approx(0.00164, rel=1e-12)
    assert forms["QUASIRENT"]["qr_cpu"] == pytest.approx(0.00094, rel=1e-12)
    assert forms["REQUIRED"]["qr_cpu"] == pytest.approx(0.00014, rel=1e-12)
    assert forms["THREADSAFE"]["open_cpu"] == pytest.approx(0.0007 + 0.0008 * 200 / 205, rel=1e-12)
    assert [form["change_modes"] for form in forms.values()] == [400, 10, 10]
    shared = zos.Program(application_cpu=0.001, db2_calls=5, db2_cpu=0.001, open_share=0.25, turns=1)
    assert shared.step("THREADSAFE") == {"qr_cpu": 0.00075, "open_cpu": 0.00125, "change_modes": 2}


def system(program: zos.Program) -> zos.System:
    """A TOR and an AOR with a program in it."""
    return zos.System(
        lpars=[zos.Lpar("L", processors=4, change_mode_cpu=3000 / 1270e6)],
        regions=[zos.CicsRegion("TOR", lpar="L"), zos.CicsRegion("AOR", lpar="L")],
        work=[zos.Work("order", rate=500, steps=[zos.Step("TOR", qr_cpu=0.001), zos.Step("AOR", **program.step("QUASIRENT"))])],
    )


def test_a_work_is_made_threadsafe_by_its_program() -> None:
    """CPU falls by the changes of TCB that go, the QR TCB by these and the code; the TOR stays as it was."""
    before = system(PROGRAM)
    after = zos.make_threadsafe(before, "order", program=PROGRAM)
    old, new = before.solve(), after.solve()
    saved = (400 - 10) * 3000 / 1270e6
    assert old["order"].cpu - new["order"].cpu == pytest.approx(saved, rel=1e-9)
    assert new["TOR"].qr_cpu_percent == pytest.approx(old["TOR"].qr_cpu_percent, rel=1e-12)
    assert old["AOR"].qr_cpu_percent - new["AOR"].qr_cpu_percent == pytest.approx(100 * 500 * (saved / 2 + 0.0008), rel=1e-9)
    assert zos.make_threadsafe(after, "order", program=PROGRAM, concurrency="QUASIRENT") == before


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: zos.change_modes("THREADSAF"), "did you mean 'THREADSAFE'"),
        (lambda: zos.change_modes("QUASIRENT", xplink=True), "write REQUIRED"),
        (lambda: zos.change_modes("REQUIRED", db2_calls=-1), "db2_calls"),
        (lambda: zos.change_modes("REQUIRED", turns=1), "goes with THREADSAFE"),
        (lambda: zos.change_modes("THREADSAFE", db2_calls=9, non_threadsafe_commands=1, turns=3), "at most 2"),
        (lambda: zos.Program(db2_calls=2, turns=3), "program: turns"),
        (lambda: zos.Program(db2_cpu=0.1), "program: db2_calls"),
        (lambda: zos.Program(open_share=1.5), "program: open_share"),
        (lambda: zos.make_threadsafe(system(PROGRAM), "order", program=zos.Program(task_cpu=1)), "has no step"),
        (lambda: zos.make_threadsafe(system(PROGRAM), "order"), "either qr_cpu or program"),
    ],
)
def test_errors_say_what_is_wrong(wrong: Any, said: str) -> None:
    """One line with the item, the rule and the repair."""
    with pytest.raises(qn.ModelError) as caught:
        wrong()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
