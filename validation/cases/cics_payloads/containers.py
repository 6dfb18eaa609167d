"""cics-perf tables 9-9 to 9-12: tasks that read and write hundreds of containers, on the QR TCB and on open TCBs."""

from __future__ import annotations

from functools import partial
from typing import Any

from qnsolve import zos

from ...case import Case, Missing, Study
from ...published.published_tables import Row, fact, table

RATE, COST, RESPONSE, COUNT = "etr_tran_per_s", "cpu_ms_per_tran", "response_ms", "containers_per_tran"
TENFOLD = 10.0  # the CPU column is printed ten times too small: the text calls row 5 of table 9-9 98.8 % of the QR TCB
WORK, REGION = "containers", "region"
QR, OPEN = ("qr_cpu", "QR TCB"), ("open_cpu", "containers on open TCBs")
# rows 2 and 3 give the CPU; with 10 and 100 containers the wait is shorter than with hundreds, and is not predicted
NOT_PREDICTED = {(COST, 2), (COST, 3), (RESPONSE, 1), (RESPONSE, 2)}
CALIBRATING = {("table-9-9", RESPONSE, 3), ("table-9-9", RATE, 3)}  # these give the wait


def _cpu(row: Row) -> float:
    """CPU per transaction as meant [s]."""
    return TENFOLD * row[COST] / 1000


def _system(tcb: str, cpu: float, wait: float, **driven: Any) -> zos.System:
    used: dict[str, Any] = {tcb: cpu, **driven}
    return zos.System(
        lpars=[zos.Lpar("LPAR", processors=zos.Processors(8))],  # not printed for these runs: as for the data tables after them
        regions=[zos.CicsRegion(REGION, lpar="LPAR", mxt=1000)],
        work=[zos.Work(WORK, regions=REGION, delay=wait, **used)],
        name=f"containers, {tcb}",
    )


def _run(file: str, law: str, tcb: str, station: str, missing: dict[tuple[str, int], Missing], study: Study) -> None:
    published = table("cics-perf", file)
    users = study.given("clients", fact("cics-perf", "p3-152"))
    think = users / study.given("rate that the clients aim at", fact("cics-perf", "p3-153"))
    each, more = _law(study, law, tcb)
    wait = _wait(study, table("cics-perf", "table-9-9")[3])
    for row in published.rows:
        cpu = each * row[COUNT] + more * row[COUNT] ** 2
        done = study.solve_system(
            f"{row.printed(COUNT)} containers", _system(tcb, cpu, wait, users=int(users), think_time=think)
        )[WORK]
        for quantity, unit, column, found in (
            ("CPU as printed", "ms", COST, 1000 * done.cpu / TENFOLD),
            ("ETR", "tran/s", RATE, done.etr),
            ("response", "ms", RESPONSE, 1000 * done.response_time),
        ):
            if (column, row.number) not in NOT_PREDICTED and (file, column, row.number) not in CALIBRATING:
                study.predict(quantity, unit, row, column, found, station=station, missing=missing.get((column, row.number)))


def _wait(study: Study, many: Row) -> float:
    """Time of a task with hundreds of containers off the TCB and the CP [s], from row 3 of table 9-9."""
    alone = _system("qr_cpu", _cpu(many), 0.0, rate=many[RATE])
    queued = study.solve_system("250 containers of table 9-9, CPU only", alone)[WORK].response_time
    how = "response of row 3 of table 9-9, less the time at the QR TCB; the same in the four runs"
    return study.calibrate("wait off the TCB", many[RESPONSE] / 1000 - queued, "s", [many], how)


def _law(study: Study, law: str, tcb: str) -> tuple[float, float]:
    """Factors a and b of CPU = a·n + b·n² [s]."""
    if tcb == OPEN[0] and law == "list":
        each, more = _law(study, law, QR[0])
        row = table("cics-perf", study.case.file)[3]
        how = "ten times the printed CPU of row 3, over the law of table 9-9"
        ratio = _cpu(row) / (each * row[COUNT] + more * row[COUNT] ** 2)
        ratio = study.calibrate("CPU on open TCBs over that on the QR TCB", ratio, "ratio", [row], how)
        return ratio * each, ratio * more
    some, many = table("cics-perf", "table-9-9" if law == "list" else study.case.file).rows[1:3]
    how = "ten times the printed CPU of rows 2 and 3 (row 1 is printed to one digit): "
    if law == "hash":
        each = sum(map(_cpu, (some, many))) / (some[COUNT] + many[COUNT])
        return study.calibrate("CPU of a container", each, "s", [some, many], how + "CPU = a·n"), 0.0
    first, second = (_cpu(row) / row[COUNT] for row in (some, many))
    more = (second - first) / (many[COUNT] - some[COUNT])
    how += "CPU = a·n + b·n²"
    each = study.calibrate("CPU of a container", first - more * some[COUNT], "s", [some, many], how)
    return each, study.calibrate("growth of it with each container", more, "s", [some, many], how)


BASE = Missing(
    "CPU of a task beside that of its containers",
    "0.01 ms a task, half of what is printed to one digit",
    "CPU of a task without containers, with two digits more",
)
WAIT = Missing(
    "the wait off the TCB, which is not quite the same in the four runs with 250 containers: 1.7 to 2.4 ms",
    "0.3 to 0.4 ms of a response of 2.2 to 2.7 ms",
    "dispatch and wait times of the tasks from monitoring records",
)
EQUAL = Missing(
    "tasks of equal length, which queue half as long as the model's of random length",
    "0.4 of the 0.7 ms in the queue for the QR TCB",
    "CPU of single tasks from monitoring records",
)
SEARCH = Missing(
    "CPU of a container that grows faster than the list is long: storage that no longer fits in a cache",
    "0.28 ms of 3.02 ms a task with 750 containers; rate and response follow from it",
    "cache misses a task (CPU MF) with 250, 500 and 750 containers",
)
STORAGE = Missing(
    "CPU of a container that grows with their number though the search does not",
    "0.1 ms of 0.93 ms a task with 750 containers",
    "cache misses a task (CPU MF) with 250, 500 and 750 containers",
)
CROWDED = Missing(
    "CPU of a container on open TCBs that grows beyond 500 of them: caches, or engines at work on the same storage",
    "with 750 2.4 of 7.0 ms (list) and 0.9 of 2.4 ms (hash), with 500 0.1 of 1.1 ms (hash); rate and response follow",
    "cycles per instruction (CPU MF) at each number of containers",
)
LIST_QR = {(COST, 1): BASE, (COST, 5): SEARCH, (RATE, 5): SEARCH}
HASH_QR = {(COST, 1): BASE, (RESPONSE, 3): WAIT, (COST, 5): STORAGE, (RESPONSE, 5): EQUAL}
LIST_OPEN = {(RESPONSE, 3): WAIT, (COST, 5): CROWDED, (RATE, 5): CROWDED, (RESPONSE, 5): CROWDED}
HASH_OPEN = {(RESPONSE, 3): WAIT, (COST, 4): CROWDED, (COST, 5): CROWDED, (RESPONSE, 5): CROWDED}
LIST_TEXT = (
    "CPU grows with the square of the number of containers; its law is from rows 2 and 3, which have two digits. At 750 "
    "containers the QR TCB limits the rate. That the CPU column is ten times too small follows from the rates."
)
HASH_TEXT = (
    "With the hash a container costs nearly the same whatever their number. The QR TCB is 50 % busy at most, and the think "
    "time determines the rate. The response is mostly a wait off the TCB, taken from one row of table 9-9."
)
OPEN_TEXT = (
    "On open TCBs tasks run at the same time, and each costs more for it: with 750 containers more than twice what "
    "it costs alone. The think time determines the rate, except for the longest list. With 500 the response is that CPU and "
    "the wait off the TCB of table 9-9: one number, from one row on the QR TCB, holds for four runs."
)
CASES = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=f"Up to 750 containers in a task, {where}, {'list search' if law == 'list' else 'hash'}",
        question=question,
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; CPU is printed to two or three digits",
        verdict_text=text,
        run=partial(_run, f"table-{number}", law, *tcb, missing),
    )
    for number, law, tcb, where, missing, question, text in (
        ("9-9", "list", QR, "not threadsafe", LIST_QR, "Where does the QR TCB limit this transaction?", LIST_TEXT),
        ("9-10", "hash", QR, "not threadsafe", HASH_QR, "Where does the QR TCB limit this transaction?", HASH_TEXT),
        ("9-11", "list", OPEN, "threadsafe", LIST_OPEN, "Which rate do open TCBs allow?", OPEN_TEXT),
        ("9-12", "hash", OPEN, "threadsafe", HASH_OPEN, "Which rate do open TCBs allow?", OPEN_TEXT),
    )
)
