"""cics-perf tables 5-17, 6-5, 6-6: changes of TCB and what they cost."""

from __future__ import annotations

from functools import partial

from qnsolve import zos

from ...case import Case, Missing, Study
from ...models.load_ladder import cpu_law
from ...published.published_tables import Row, fact, table
from ..cics_regions.releases import LAWS

RATE, CPU = "etr_tran_per_s", "cics_cpu_pct"
TOTAL, RESPONSE, MODES, COMMANDS = "user_cpu_ms_per_tran", "response_ms", "change_modes_per_tran", "td_commands_per_tran"
LIGHT = 1.0  # transactions a second: the load is not printed, and low
WORK, REGION, LPAR = "transactions", "region", "LPAR"
QR, L8 = "qr_cpu_ms_per_tran", "l8_cpu_ms_per_tran"
BEGIN = Missing(
    "the begin and end of a task on the QR TCB, which rules for changes of TCB do not have",
    "0.02 ms of CPU a task",
    "QR TCB CPU of a task without commands, from monitoring records",
)
SIDES = Missing(
    "what a command itself takes on its TCB: with THREADSAFE half of the CPU is taken as of either side of a change of TCB",
    "1.1 ms of 4.6 ms on the QR TCB, 7 µs for each transient data write",
    "CPU of a transient data write and of a Db2 read, from a trace",
)
DB2 = Missing(
    "Db2 itself, which became cheaper between the two releases",
    "0.3 ms of CPU a task; the printed time in Db2 fell by 0.27 ms",
    "CPU in Db2 (accounting class 2) of both runs",
)
LIGHTER = Missing(
    "a task that costs less at light load: the printed CPU of one rises by 5 % from row 2 to row 5, the model's does not",
    "0.16 ms of 2.40 ms a task",
    "instructions of a change of TCB with a second digit",
)
FIRST = Missing(
    "changes of TCB at the first Db2 call and at opening the queue, which tables 4-1 to 4-3 do not count",
    "6 changes a task",
    "changes of TCB by mode of one task, from a trace",
)


def _system(
    program: zos.Program, concurrency: str, cost: float, wait: float, rate: float, regions: int, cps: int
) -> zos.System:
    names = [f"{REGION} {i}" for i in range(1, regions + 1)]
    return zos.System(
        lpars=[zos.Lpar(LPAR, processors=zos.Processors(cps), change_mode_cpu=cost, change_mode_wait=wait)],
        regions=[zos.CicsRegion(name, lpar=LPAR) for name in names],
        work=[zos.Work(WORK, rate=rate, regions=names, **program.step(concurrency))],
        name=concurrency,
    )


def _switch(study: Study) -> float:
    java = table("cics-perf", "table-5-7")
    rows = [java[1], java[2]]
    value = (java[1][TOTAL] - java[2][TOTAL]) / (java[1][MODES] - java[2][MODES]) / 1000
    how = "decrease of CPU over decrease of changes of TCB, between two releases of a Java program with Db2"
    return study.calibrate("CPU of a change of TCB", value, "s", rows, how)


def _transient_data(study: Study) -> None:
    published = table("cics-perf", "table-5-17")
    base = published[1]
    pairs = study.given("Db2 rows read, queue items written", base, COMMANDS)
    cost = _switch(study)
    own = base[TOTAL] / 1000 - base[MODES] * cost
    own = study.calibrate("CPU without changes of TCB", own, "s", [base], "V4.1: CPU, less its changes of TCB at their cost")
    wait = (base[RESPONSE] - base[TOTAL]) / 1000 / base[MODES]
    how = "V4.1: (response - CPU) / changes of TCB"
    wait = study.calibrate("wait at a change of TCB", wait, "s", [base], how)
    before = zos.Program(application_cpu=own, db2_calls=pairs, non_threadsafe_commands=pairs)
    after = zos.Program(application_cpu=own, db2_calls=pairs, threadsafe_commands=pairs)
    for row, program, concurrency in (
        (base, before, "THREADSAFE"),
        (published[2], before, "REQUIRED"),
        (published[3], after, "REQUIRED"),
    ):
        label = f"{row.cells['release']}, {concurrency}"
        result = study.solve_system(label, _system(program, concurrency, cost, wait, LIGHT, 1, 4))
        missing = FIRST if row.number == 3 else None
        modes = program.change_modes(concurrency)
        study.predict(
            "changes of TCB", "count", row, MODES, modes, station="change of TCB", kind="path",
            like=None if row is base else (published[row.number - 1], None), naive=pairs, missing=missing,
        )  # fmt: skip
        _parts(study, row, result, base if row is base else published[row.number - 1])


def _parts(study: Study, row: Row, result: zos.SystemResult, last: Row) -> None:
    """CPU by TCB and response of a release; of the first one, whose CPU and response are given, the share of the QR TCB.

    The naive planner has those of the release before, and all CPU of the first one on the QR TCB.
    """
    done, on_qr = result[WORK], 10 * result.regions[0].qr_percent / LIGHT
    newer = row.number == 3
    for quantity, column, value, missing in (
        ("CPU", TOTAL, 1000 * done.cpu, DB2 if newer else None),
        ("QR TCB CPU", QR, on_qr, BEGIN if newer else SIDES if row is last else None),
        ("L8 TCB CPU", L8, 1000 * done.cpu - on_qr, DB2 if newer else None),
        ("response", RESPONSE, 1000 * done.response_time, None),
    ):
        if row is not last or column == QR:
            study.predict(
                quantity, "ms", row, column, value, station="change of TCB", kind="path", across=True, missing=missing,
                like=(last, None) if row is not last else None, naive=last[TOTAL],
            )  # fmt: skip


def _started(study: Study) -> None:
    published = table("cics-perf", "table-8-13")
    started, run = (published.where(transaction=name) for name in ("ASGS", "ASGX"))
    children = study.given("children of a parent", fact("cics-perf", "p3-051"))
    cost = study.given("instructions of a change of TCB", fact("cics-perf", "C1-069"))
    cost /= 1e6 * study.given("MIPS of a CP", fact("cics-perf", "C1-021"))
    how = "RUN TRANSID: CPU, less its changes of TCB at their cost"
    own = study.calibrate("CPU without changes of TCB", run[TOTAL] / 1000 - run[MODES] * cost, "s", [run], how)
    wait = (run[RESPONSE] - run[TOTAL]) / 1000 / run[MODES]
    wait = study.calibrate("wait at a change of TCB", wait, "s", [run], "RUN TRANSID: (response - CPU) / changes of TCB")
    modes = study.calibrate("changes of TCB with RUN TRANSID", run[MODES], "count", [run], "as printed", kind="printed")
    modes += zos.change_modes("REQUIRED", non_threadsafe_commands=children) - zos.change_modes("REQUIRED")
    system = zos.System(
        lpars=[zos.Lpar(LPAR, processors=zos.Processors(4), change_mode_cpu=cost, change_mode_wait=wait)],
        regions=[zos.CicsRegion(REGION, lpar=LPAR)],
        work=[zos.Work(WORK, rate=LIGHT, regions=REGION, open_cpu=own, change_modes=modes)],
        name="children by START",
    )
    done = study.solve_system("children by START", system)[WORK]
    like = run, None
    study.predict("changes of TCB", "count", started, MODES, modes, station="change of TCB", kind="path", like=like)
    for quantity, column, value in (("CPU", TOTAL, done.cpu), ("response", RESPONSE, done.response_time)):
        study.predict(
            quantity, "ms", started, column, 1000 * value, station="change of TCB", kind="path", like=like, across=True
        )


def _relational(file: str, other: str, study: Study) -> None:
    published = table("cics-perf", file)
    calls = study.given("Db2 calls of a task", fact("cics-perf", "C1-046"))
    path = study.given("instructions of a change of TCB", fact("cics-perf", "C1-069"))
    mips = study.given("MIPS of a CP", fact("cics-perf", "C1-021"))
    cost = path / (1e6 * mips)
    fixed, each = cpu_law(study, LAWS[other], "CICS CPU", CPU)
    left = 2 * cost  # a REQUIRED program goes to its open TCB and back once
    regions, cps = 4, 8  # not printed, and without effect on the CPU
    for row in published.rows:
        program = zos.Program(application_cpu=each + fixed / row[RATE] - left, db2_calls=calls)
        system = _system(program, "REQUIRED", cost, 0.0, row[RATE], regions, cps)
        system = zos.make_threadsafe(system, WORK, program=program, concurrency="QUASIRENT")
        result = study.solve_system(f"{row.printed(RATE)} tran/s", system)
        used = sum(region.appl_percent for region in result.regions)
        missing = LIGHTER if row.number < 3 else None
        study.predict(
            "CICS CPU", "% of a CP", row, CPU, used, station="change of TCB", kind="path",
            like=(table("cics-perf", f"table-{other}")[row.number], RATE), across=True, missing=missing,
        )  # fmt: skip


CASES = (
    Case(
        name="cics-perf-5-17",
        source="cics-perf",
        file="table-5-17",
        title="Db2 reads and transient data writes in three releases",
        question="What do REQUIRED and threadsafe transient data do for changes of TCB, CPU and response?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=(
            "The changes of TCB follow from the rules; the CPU and response of the next two releases from that count, the "
            "CPU of one change in another program, and the wait of one change in V4.1. Of eight changes "
            "left in V5.1 the rules explain two, and Db2 became cheaper at the same time."
        ),
        run=_transient_data,
    ),
    Case(
        name="cics-perf-8-13",
        source="cics-perf",
        file="table-8-13",
        title="A parent that starts ten children, by RUN TRANSID or by START",
        question="What do START commands cost in place of the asynchronous API?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=(
            "START is not threadsafe: each one switches to the QR TCB and back, which explains the whole difference in CPU. "
            "MIPS are those of a zEC12, the only ones printed. The response follows from the wait at a change of TCB with RUN "
            "TRANSID: the parent does not wait for its children in either run, so nothing needs to be joined."
        ),
        run=_started,
    ),
    *(
        Case(
            name=f"cics-perf-{number}",
            source="cics-perf",
            file=f"table-{number}",
            title=f"RTW, programs that are not threadsafe, CICS TS {release}",
            question="What does the work cost if its programs are QUASIRENT?",
            tolerance=0.05,
            reason="a capacity plan is held to 5 %",
            verdict_text=(
                "The CPU of the threadsafe runs and two changes of TCB for each of 200 Db2 calls give the CPU of the others, "
                "with no parameter fitted. The printed CPU rises with the load by 5 %, the model's does not."
            ),
            run=partial(_relational, f"table-{number}", other),
        )
        for number, other, release in (("6-5", "6-7", "V5.1"), ("6-6", "6-8", "V5.2"))
    ),
)
