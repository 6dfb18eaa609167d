"""cics-perf tables 9-13, 9-14, 9-15: one QR TCB with coupling facility data table requests."""

from __future__ import annotations

from functools import partial

import qnsolve as qn
from qnsolve import zos
from qnsolve.numerics.bisection import last_real

from ...case import Case, Missing, Study
from ...models.driver import clock
from ...published.published_tables import Row, Table, fact, table
from ..cics_payloads.containers import cpu as containers_cpu

RATE, CPU, RESPONSE = "etr_tran_per_s", "cics_cpu_pct", "response_ms"
REASON = "a capacity plan is held to 5 %; think times come from another run of the same terminals"
WORK, REGION = "data table requests", "region"
MXT = 2000  # not printed: above the terminals, as the response shows no wait for it
SWITCHES = Missing(
    "the switch from an L8 TCB to the QR TCB and back, and the wait for dispatch after each",
    "0.17 ms of the 1.47 ms that a transaction takes at the lowest load",
    "dispatch wait of the QR TCB and of L8 TCBs from monitoring records at that load",
)
BATCH_HOW = "response over that of M/M/1 at the same busy QR TCB, times 2, less 1 (M[X]/M/1 with batches of one size)"


def _demand(row: Row) -> float:
    """CPU per transaction [s]."""
    return row[CPU] / 100 / row[RATE]


def _think(study: Study, row: int, terminals: float, tick: float = 0.0) -> float:
    """Think time of a drive level [s], from the run that did not saturate the QR TCB."""
    other = table("cics-perf", "table-9-16")[row]
    driven = [terminals], [other[RATE]], [other[RESPONSE] / 1000]
    how = "terminals / ETR - response of the run on open TCBs; with a tick its whole ticks count"
    value = study.calibrate(f"think time, drive level {row}", qn.measure.fit_think_time(*driven), "s", [other], how)
    return qn.measure.fit_think_time(*driven, tick) if tick else value


def _system(
    terminals: float, think: float, cps: float, qr: float, beside: float = 0.0, *, burst: float = 1.0, tick: float = 0.0
) -> zos.System:
    work = zos.Work(
        WORK, users=int(terminals), think_time=think, burst=burst, tick=tick, regions=REGION, qr_cpu=qr, open_cpu=beside
    )
    return zos.System(
        lpars=[zos.Lpar("LPAR", processors=zos.Processors(int(cps)))],
        regions=[zos.CicsRegion(REGION, lpar="LPAR", mxt=MXT)],
        work=[work],
        name="data tables in one region",
    )


def _batch_size(row: Row, demand: float) -> float:
    """Jobs in a batch that make the response of a row."""
    plain = qn.stations.mm1(row[RATE], demand)
    return 2 * row[RESPONSE] / 1000 / plain.response_time - 1


def _not_threadsafe(file: str, study: Study) -> None:
    published, base = table("cics-perf", file), table("cics-perf", "table-9-13")
    terminals = study.given("terminals", fact("cics-perf", "p3-162"))
    cps = study.given("CPs", fact("cics-perf", "p3-170"))
    first = base[1]
    demand = study.calibrate("QR TCB demand", _demand(first), "s", [first], "CICS CPU / ETR: all work is on the QR TCB")
    batch = study.calibrate("burst", _batch_size(first, demand), "transactions", [first], BATCH_HOW)
    for row in published.rows[1 if published is base else 0 :]:
        system = _system(terminals, _think(study, row.number, terminals), cps, demand, burst=batch)
        result = study.solve_system(f"drive level {row.number}", system)
        _predict(study, row, result, base if published is base else table("cics-perf", "table-9-13"), full=row.number == 3)
    full = fact("cics-perf", "p3-174")
    study.predict(
        "QR TCB busy",
        "%",
        full,
        "value",
        result[REGION].qr_percent,
        station="QR TCB",
        across=True,
        kind="full center",
        naive=100.0,
    )


def _predict(
    study: Study, row: Row, result: zos.SystemResult, like: Table, *, full: bool, missing: Missing | None = None
) -> None:
    """Rate, CPU and response of a row; the naive planner has CPU and response of the lowest row of some table."""
    done, region, low = result[WORK], result[REGION], like[1]
    if full:
        study.predict(
            "ETR", "tran/s", row, RATE, done.etr, station="QR TCB", across=True, kind="full center", naive=1 / _demand(low)
        )
    else:  # the rate that the terminals aim at
        study.identity("ETR", "tran/s", row, RATE, done.etr, station="terminals")
    study.predict(  # where the QR TCB is full, at the rate that it lets through
        "CICS CPU", "% of a CP", row, CPU, region.appl_percent, station="QR TCB", across=True,
        kind="full center" if full else "constant CPU", like=(low, RATE),
    )  # fmt: skip
    study.predict(
        "response", "ms", row, RESPONSE, 1000 * done.response_time, station="QR TCB", across=True,
        kind="full center" if full else "contention", like=(low, None), missing=missing,
    )  # fmt: skip


def _threadsafe_on_qr(study: Study) -> None:
    published = table("cics-perf", "table-9-15")
    terminals = study.given("terminals", fact("cics-perf", "p3-162"))
    cps = study.given("CPs", fact("cics-perf", "p3-170"))
    full = published[3]
    qr = study.calibrate("QR TCB demand", 1 / full[RATE], "s", [full], "1 / ETR where the QR TCB is full")
    beside = study.calibrate("demand beside the QR TCB", _demand(full) - qr, "s", [full], "CICS CPU / ETR, less the QR TCB's")
    containers = table("cics-perf", "table-9-9")[3]
    tick = clock(study, containers, containers_cpu(containers))
    before = table("cics-perf", "table-9-13")
    for number in (1, 2, 4, 5):
        system = _system(terminals, _think(study, number, terminals, tick), cps, qr, beside, tick=tick)
        result = study.solve_system(f"drive level {number}", system)
        _predict(study, published[number], result, before, full=number > 2, missing=SWITCHES if number == 1 else None)


def _before_the_limit(study: Study) -> None:
    """The share of the QR TCB, from the growth of response between the two lowest rows."""
    published = table("cics-perf", "table-9-15")
    terminals = study.given("terminals", fact("cics-perf", "p3-162"))
    cps = study.given("CPs", fact("cics-perf", "p3-170"))
    low, next_low = published[1], published[2]
    base = table("cics-perf", "table-9-13")[1]
    batch = study.calibrate("burst", _batch_size(base, _demand(base)), "transactions", [base], BATCH_HOW)
    how = "CICS CPU / ETR of the same requests in programs that are not threadsafe"
    cpu = study.calibrate("CPU of a transaction", _demand(base), "s", [base], how)
    growth = (next_low[RESPONSE] - low[RESPONSE]) / 1000

    def too_small(demand: float) -> bool:
        first, second = (qn.stations.mm1(row[RATE], demand).response_time for row in (low, next_low))
        return (1 + batch) / 2 * (second - first) < growth

    highest = 0.999 / next_low[RATE]
    qr = last_real(too_small, 1e-6, highest, highest)
    if qr is None:
        raise ValueError("no demand of the QR TCB explains the growth of response")
    how = "the growth of response from row 1 to row 2 is that of a queue for the QR TCB, with the bursts of table 9-13"
    qr = study.calibrate("QR TCB demand", qr, "s", [low, next_low], how)
    row = published[3]
    system = _system(terminals, _think(study, 3, terminals), cps, qr, cpu - qr, burst=batch)
    result = study.solve_system("drive level 3", system)
    share = Missing(
        "the share of the QR TCB, which response printed to the µs in two rows does not give more closely",
        "0.417 ms of 0.463 ms a transaction in place of 0.400 ms",
        "QR TCB CPU of one transaction from monitoring records",
    )
    _predict(study, row, result, published, full=True, missing=share)


CASES = (
    *(
        Case(
            name=f"cics-perf-{number}",
            source="cics-perf",
            file=f"table-{number}",
            title=f"Data table requests on the QR TCB, CICS TS {release}",
            question="Which rate does one region reach, and what is the response time there?",
            tolerance=0.05,
            reason=REASON,
            verdict_text=(
                "One server, one demand from the lowest row of V5.4: the limit, the response in saturation and the CPU follow. "
                "Below saturation the response is 1.8 times that of M/M/1 at every load: arrivals in bursts, fitted on "
                "that row, give the next. Arrivals at a driver's ticks of 5.0 ms, as in tables 9-9, 9-10 and 9-15, "
                "say 5 % more there and 5 % less here, with nothing fitted."
            ),
            run=partial(_not_threadsafe, f"table-{number}"),
        )
        for number, release in (("9-13", "V5.4"), ("9-14", "V5.5"))
    ),
    Case(
        name="cics-perf-9-15",
        source="cics-perf",
        file="table-9-15",
        title="Threadsafe application whose data table requests still need the QR TCB, CICS TS V5.4",
        question="The application is threadsafe: how much further does the region go, and what do more terminals get?",
        tolerance=0.05,
        reason=REASON,
        verdict_text=(
            "The share of the work that left the QR TCB must be known: with all CPU on it the limit would be 10 % low. Then "
            "rate, CPU and response at the two higher drive levels follow. Below saturation arrivals at the driver's ticks, "
            "found in tables 9-9 and 9-10, give the response; at the lowest load it misses the TCB switches."
        ),
        run=_threadsafe_on_qr,
    ),
    Case(
        name="cics-perf-9-15-low",
        source="cics-perf",
        file="table-9-15",
        title="The same region, from its two lowest loads alone",
        question="The limit has not been reached yet: can it be predicted from two light loads?",
        tolerance=0.05,
        reason=REASON,
        verdict_text=(
            "Yes, within 4 %: the growth of response from the first to the second load gives the share of the QR TCB. "
            "Response in saturation is N/X - Z, so an error of 4 % of the rate is one of 17 % of the response."
        ),
        run=_before_the_limit,
    ),
)
