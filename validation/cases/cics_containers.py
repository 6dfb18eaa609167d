"""cics-perf tables 9-9 to 9-12: tasks that read and write hundreds of containers, on the QR TCB and on open TCBs."""

from __future__ import annotations

from functools import partial
from typing import Any

from qnsolve import zos

from ..case import Case, Missing, Study
from ..published import Row, table

RATE, COST, RESPONSE, COUNT = "etr_tran_per_s", "cpu_ms_per_tran", "response_ms", "containers_per_tran"
TENFOLD = 10.0  # the CPU column is printed ten times too small: the text calls row 5 of table 9-9 98.8 % of the QR TCB
WORK, REGION = "containers", "region"


def _cpu(row: Row) -> float:
    """CPU per transaction as meant [s]."""
    return TENFOLD * row[COST] / 1000


def _system(users: float, think: float, tcb: str, cpu: float) -> zos.System:
    used: dict[str, Any] = {tcb: cpu}
    return zos.System(
        lpars=[zos.Lpar("LPAR", processors=zos.Processors(8))],  # not printed for these runs: as for the data tables after them
        regions=[zos.CicsRegion(REGION, lpar="LPAR", mxt=1000)],
        work=[zos.Work(WORK, users=int(users), think_time=think, regions=REGION, **used)],
        name=f"containers, {tcb}",
    )


def _run(file: str, law: str, tcb: str, center: str, missing: dict[tuple[str, int], Missing], study: Study) -> None:
    published = table("cics-perf", file)
    first, some, many = table("cics-perf", "table-9-9")[1], published[2], published[3]
    users = study.given("terminals", published[1], "users")
    value = users / first[RATE] - first[RESPONSE] / 1000
    how = "terminals / ETR - response with 10 containers of table 9-9: the same terminals drive the four runs"
    think = study.calibrate("think time", value, "s", [first], how)
    each, more = _law(some, many) if law == "list" else (sum(map(_cpu, (some, many))) / (some[COUNT] + many[COUNT]), 0.0)
    how = "ten times the printed CPU of rows 2 and 3 (row 1 is printed to one digit): "
    how += "CPU = a·n + b·n²" if law == "list" else "CPU = a·n"
    each = study.calibrate("CPU of a container", each, "s", [some, many], how)
    if law == "list":
        more = study.calibrate("growth of it with each container", more, "s", [some, many], how)
    for row in published.rows[3:]:
        cpu = each * row[COUNT] + more * row[COUNT] ** 2
        done = study.solve_system(f"{row.printed(COUNT)} containers", _system(users, think, tcb, cpu))[WORK]
        for quantity, unit, column, found in (
            ("CPU as printed", "ms", COST, 1000 * done.cpu / TENFOLD),
            ("ETR", "tran/s", RATE, done.etr),
            ("response", "ms", RESPONSE, 1000 * done.response_time),
        ):
            study.predict(quantity, unit, row, column, found, center=center, missing=missing.get((column, row.number)))


def _law(some: Row, many: Row) -> tuple[float, float]:
    """Factors a and b of CPU = a·n + b·n² [s]."""
    first, second = (_cpu(row) / row[COUNT] for row in (some, many))
    growth = (second - first) / (many[COUNT] - some[COUNT])
    return first - growth * some[COUNT], growth


OTHER = Missing(
    "waits that are not for a TCB or a CP: storage, or dispatch of the region",
    "1.5 to 3 ms with 500 and 750 containers, at a TCB that is busy for a tenth to a half of the time",
    "dispatch and wait times of the tasks from monitoring records",
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
COMPANY = Missing(
    "CPU of a container that grows with the engines at work on the region's storage (locks, caches)",
    "a sixth of the CPU with 500 containers, a third and more with 750; rate and response follow from it",
    "cycles per instruction (CPU MF) at each number of containers",
)
QUEUE = Missing(
    "the queue for the QR TCB that a CPU nearer to the truth would make",
    "1.6 ms of 8.0 ms: the TCB is 83 % busy, the model's 79 %",
    "CPU of a task with a digit more",
)
LIST_QR = {(RESPONSE, 4): QUEUE, (COST, 5): SEARCH, (RATE, 5): SEARCH}
HASH_QR = {(RESPONSE, 4): OTHER, (COST, 5): STORAGE, (RESPONSE, 5): OTHER}
LIST_OPEN = {(RESPONSE, 4): OTHER, (COST, 5): COMPANY, (RATE, 5): COMPANY, (RESPONSE, 5): COMPANY}
HASH_OPEN = {(COST, 4): COMPANY, (RESPONSE, 4): OTHER, (COST, 5): COMPANY, (RESPONSE, 5): COMPANY}
LIST_TEXT = (
    "CPU grows with the square of the containers: rows 2 and 3 tell it, to two digits. The QR TCB is what stops the task at "
    "750 containers. That the CPU column is ten times too small follows from the rates."
)
HASH_TEXT = (
    "With the hash a container costs the same whatever their number, or nearly. The QR TCB is half busy at most, and the think "
    "time makes the rate. The response is not that of a queue for the QR TCB."
)
OPEN_TEXT = (
    "On open TCBs tasks run at the same time, and each costs more for it: with 750 containers more than twice what "
    "it costs alone. The rate is made by the think time, but for the longest list."
)
QR, OPEN = ("qr_cpu", "QR TCB"), ("open_cpu", "containers on open TCBs")
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
        ("9-9", "list", QR, "not threadsafe", LIST_QR, "Where does the QR TCB stop this transaction?", LIST_TEXT),
        ("9-10", "hash", QR, "not threadsafe", HASH_QR, "Where does the QR TCB stop this transaction?", HASH_TEXT),
        ("9-11", "list", OPEN, "threadsafe", LIST_OPEN, "How far do open TCBs carry this transaction?", OPEN_TEXT),
        ("9-12", "hash", OPEN, "threadsafe", HASH_OPEN, "How far do open TCBs carry this transaction?", OPEN_TEXT),
    )
)
