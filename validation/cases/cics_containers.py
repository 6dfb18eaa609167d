"""cics-perf tables 9-9, 9-10: tasks that read and write hundreds of containers on the QR TCB."""

from __future__ import annotations

from functools import partial

from qnsolve import zos

from ..case import Case, Study
from ..published import Row, table

RATE, COST, RESPONSE, COUNT = "etr_tran_per_s", "cpu_ms_per_tran", "response_ms", "containers_per_tran"
TENFOLD = 10.0  # the CPU column is printed ten times too small: the text calls row 5 of table 9-9 98.8 % of the QR TCB
WORK, REGION = "containers", "region"
OTHER = "waits that are not for the QR TCB: at a tenth of its use response is five times the CPU"
LONGER = "0.15 s of the terminals' cycle that is in neither the printed response nor the think time of the other rows"


def _cpu(row: Row) -> float:
    """CPU per transaction as meant [s]."""
    return TENFOLD * row[COST] / 1000


def _system(users: float, think: float, qr: float) -> zos.System:
    return zos.System(
        lpars=[zos.Lpar("LPAR", processors=zos.Processors(4))],  # not printed; one QR TCB uses one
        regions=[zos.CicsRegion(REGION, lpar="LPAR", mxt=1000)],
        work=[zos.Work(WORK, users=int(users), think_time=think, regions=REGION, qr_cpu=qr)],
        name="containers on the QR TCB",
    )


def _run(file: str, missing: dict[int, str], study: Study) -> None:
    published = table("cics-perf", file)
    few, some, many, most = published[1], published[3], published[4], published[5]
    users = study.given("terminals", few, "users")
    value = users / few[RATE] - few[RESPONSE] / 1000
    think = study.calibrate("think time", value, "s", [few], "terminals / ETR - response with 10 containers", free=False)
    each, more = _law(some, many)
    how = "CPU = a·n + b·n² through rows 3 and 4, ten times the printed CPU"
    each = study.calibrate("CPU of a container", each, "s", [some, many], how)
    more = study.calibrate("growth of it with each container", more, "s", [some, many], how)
    for row, qr in ((many, _cpu(many)), (most, each * most[COUNT] + more * most[COUNT] ** 2)):
        done = study.solve_system(f"{row.printed(COUNT)} containers", _system(users, think, qr))[WORK]
        if row is most:
            study.predict("CPU as printed", "ms", row, COST, 1000 * done.cpu / TENFOLD, center="QR TCB")
        study.predict("ETR", "tran/s", row, RATE, done.etr, center="QR TCB")
        response = 1000 * done.response_time
        study.predict("response", "ms", row, RESPONSE, response, center="QR TCB", missing=missing.get(row.number, ""))


def _law(some: Row, many: Row) -> tuple[float, float]:
    """Factors a and b of CPU = a·n + b·n² [s]."""
    first, second = (_cpu(row) / row[COUNT] for row in (some, many))
    growth = (second - first) / (many[COUNT] - some[COUNT])
    return first - growth * some[COUNT], growth


CASES = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=f"Up to 750 containers in a task that is not threadsafe, {search}",
        question="Where does the QR TCB stop this transaction, and what do its terminals see?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; CPU is printed to two or three digits",
        verdict_text=text,
        run=partial(_run, f"table-{number}", missing),
    )
    for number, search, missing, text in (
        (
            "9-9",
            "linear search",
            {5: LONGER},
            "CPU grows with the square of the containers. With 500 rate and response follow from the CPU, which also proves "
            "the misprint; with 750 the rate, from an extrapolated CPU. The response of that row does not fit its own rate.",
        ),
        (
            "9-10",
            "hash",
            {4: OTHER, 5: OTHER},
            "With the hash the QR TCB is half busy at most, and the think time makes the rate. The response is not that of "
            "a queue for the QR TCB.",
        ),
    )
)
