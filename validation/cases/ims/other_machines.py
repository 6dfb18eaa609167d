"""ims14-z14 table 16 and mq-otma: another machine, and more engines on one of three LPARs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from qnsolve import zos
from scipy.optimize import brentq

from ...case import Case, Missing, Study
from ...models.ims_lpars import ENOUGH, one_lpar
from ...models.lspr import average_lspr
from ...published.published_tables import Row, fact, table

RATE, BUSY, RESPONSE, ENGINES = "etr_tran_per_s", "cpu_busy_pct", "ims_response_ms", "lpar1_gp_engines"
PARTS = {"IMS": "ims_cpu_us_per_tran", "IMS Connect": "ims_connect_cpu_us_per_tran", "MPP": "dep_region_cpu_us_per_tran"}
TRAN = "tran_per_s"
JOBS = 100  # on each LPAR, their number is not printed: so many that more change nothing
OTHERS = 3  # CPs of LPARs 2 and 3
CF, CF_CPS, CF_BUSY = "CF", "cf_cps", "cf_busy_pct"
RATIOS = (0.1, 10.0)  # within which CPU at the queue manager over CPU at IMS is sought
ROUNDS, PRECISE = 3, 1e-4  # until the time at the coupling facility stays; error of the ratio
NO_TIME = 1e-6  # at the coupling facility to begin with, over CPU at IMS


def _cpu(study: Study, row: Row) -> dict[str, float]:
    """CPU of a transaction by address space, and of the system beside them [s]."""
    cpu = {
        name: study.calibrate(f"CPU, {name}", row[key] * 1e-6, "s", [row], "as printed", kind="printed")
        for name, key in PARTS.items()
    }
    how = "busy times engines / ETR, less what the address spaces use"
    rest = row[BUSY] / 100 * row[ENGINES] / row[RATE] - sum(cpu.values())
    return {**cpu, "system": study.calibrate("CPU outside, of the system", rest, "s", [row], how)}


def _z13(row: Row, cpu: dict[str, float], delay: float) -> zos.System:
    steps = [
        zos.Step("IMS Connect", cpu=cpu["IMS Connect"]),
        zos.Step("IMS", cpu=cpu["IMS"]),
        zos.Step("MPP", cpu=cpu["MPP"], system_cpu=cpu["system"], delay=delay),
    ]
    return zos.System(
        lpars=[zos.Lpar("LPAR1", processors=zos.Processors(row[ENGINES]))],
        regions=[zos.ImsRegions(name, lpar="LPAR1", regions=ENOUGH) for name in PARTS],
        work=[zos.Work("order entry", rate=row[RATE], steps=steps)],
    )


def _z14(study: Study) -> None:
    base, row = table("ims14-z14", "table-16").rows
    claim = 1 + study.given("relative capacity [% more]", fact("ims14-z14", "F038")) / 100
    cpu = _cpu(study, base)
    at_cps = study.solve_system("z13, CPU only", _z13(base, cpu, 0.0))["order entry"].response_time
    how = "response less the time at the CPs"
    wait = study.calibrate("time off the CPs", base[RESPONSE] / 1000 - at_cps, "s", [base], how)
    moved = zos.move(_z13(base, cpu, wait), "LPAR1", itr_ratio=claim)
    itr = study.solve_system("z14 at the rate of z13", moved)["LPAR1"].itr
    rate = itr * row[BUSY] / 100
    result = study.solve_system("z14", zos.scale(moved, rate / base[RATE]))
    station = "processor capacity"
    etr = result["order entry"].etr
    study.predict("ETR at the printed busy", "tran/s", row, RATE, etr, station=station, kind="ladder", like=(base, BUSY))
    response = 1000 * result["order entry"].response_time
    study.predict("response", "ms", row, RESPONSE, response, station=station, kind="contention", like=(base, None))
    for name, key in PARTS.items():
        own = 1e4 * result[name].appl_percent / rate
        study.predict(f"CPU, {name}", "µs", row, key, own, station=station, kind="ladder", like=(base, None))


@dataclass(frozen=True)
class _Message:
    """CPU of a message at its queue manager and at IMS, and its time at engines of the coupling facility [s]."""

    manager: float
    ims: float
    facility: float

    def longer(self, times: float) -> _Message:
        """So many times as long a message."""
        return _Message(times * self.manager, times * self.ims, times * self.facility)


def _three_lpars(row: Row, message: _Message, law: zos.LsprTable, jobs: int = JOBS) -> zos.System:
    """Jobs on each LPAR that loop over its queue manager, whose requests are synchronous; the IMS of all three on LPAR 1."""
    names, cps = [f"LPAR {i}" for i in (1, 2, 3)], row["lpar1_cps"]
    faster = law.ratio(OTHERS, cps) * OTHERS / cps  # of an engine, beside so many others
    engines = [zos.Processors(cps, speed=faster), zos.Processors(OTHERS), zos.Processors(OTHERS)]
    return zos.System(
        lpars=[zos.Lpar(name, processors=each) for name, each in zip(names, engines, strict=True)],
        regions=[
            zos.ImsRegions("IMS", lpar=names[0], regions=ENOUGH),
            *[zos.ImsRegions(f"jobs of {name}", lpar=name, regions=jobs) for name in names],
        ],
        coupling_facilities=[zos.CouplingFacility(CF, processors=int(row[CF_CPS]), service_time=message.facility)],
        work=[
            zos.Work(
                f"messages of {name}",
                users=jobs,
                steps=[
                    zos.Step(f"jobs of {name}", cpu=message.manager, cf_requests={CF: 1.0}),
                    zos.Step("IMS", cpu=message.ims),
                ],
            )
            for name in names
        ],
        name=f"{cps:g}:{OTHERS}:{OTHERS}",
    )


def _message(study: Study, rows: tuple[Row, Row, Row], law: zos.LsprTable) -> _Message:
    """That at which the rates of the first two rows are those measured, and the coupling facility as busy as in the third."""
    three, six, nine = rows

    def rate(row: Row, message: _Message) -> float:
        system = _three_lpars(row, message, law)
        return sum(work.etr for work in (system.solve() if study.queues else system.bounds()).work)

    @cache
    def grows_more(ratio: float, facility: float) -> float:
        """Growth from the first row to the second over that measured, less 1; a message of any length has it."""
        message = _Message(ratio, 1.0, facility)
        return rate(six, message) / rate(three, message) / (six[TRAN] / three[TRAN]) - 1

    busy = nine[CF_BUSY] / 100 * nine[CF_CPS]
    facility = busy / rate(nine, _Message(1.0, 1.0, NO_TIME))
    for _ in range(ROUNDS):  # in CPU at IMS
        ends = [grows_more(ratio, facility) for ratio in RATIOS]
        if ends[0] * ends[1] < 0:
            ratio = brentq(grows_more, *RATIOS, args=(facility,), rtol=PRECISE)
        else:  # without queues no ratio has that growth
            ratio = min(zip(map(abs, ends), RATIOS, strict=True))[1]
        facility = busy / rate(nine, _Message(ratio, 1.0, facility))
    message = _Message(ratio, 1.0, facility)
    return message.longer(rate(three, message) / three[TRAN])


def _bridge(study: Study) -> None:
    published = table("mq-otma", "text-bridge-throughput")
    three, six, nine = published[1], published[4], published[5]
    law = average_lspr(study)
    how = "LPAR 1 full at 3:3:3: CPs / rate; tuned IMS 13 is said to be as good as IMS 12"
    cpu = study.calibrate("LPAR 1 CPU", three["lpar1_cps"] / three[TRAN], "s", [three], how)
    system = one_lpar(three["lpar1_cps"], cpu=cpu, users=500)
    more = zos.move(system, "IMS", engines=six["lpar1_cps"], lspr=law)
    rate = study.solve_system("6:3:3, LPAR 1 alone", more)["transactions"].etr
    missing = Missing(
        "LPARs 2 and 3, whose jobs and queue managers are nearly full at 6:3:3",
        "8 % of the rate; 0.27 ms of CPU a message there, and 0.13 ms at the coupling facility, close it",
        "busy of each LPAR at 6:3:3",
    )
    study.predict(
        "rate, 6:3:3",
        "tran/s",
        six,
        TRAN,
        rate,
        station="processor capacity",
        kind="full center",
        like=(three, "lpar1_cps"),
        across=True,
        missing=missing,
    )
    study.given("CPs of the coupling facility", nine, CF_CPS)
    study.calibrate("coupling facility busy at 9:3:3", nine[CF_BUSY], "%", [nine], "as printed", kind="printed")
    message = _message(study, (three, six, nine), law)
    how = "that at which both rates, of 3:3:3 and 6:3:3, are those measured; the LSPR's law for LPAR 1"
    ratio = message.manager / message.ims
    study.calibrate("CPU of a message at its queue manager over that at IMS", ratio, "ratio", [three, six], how)
    found = study.solve_system("9:3:3, three LPARs", _three_lpars(nine, message, law))
    rate = sum(work.etr for work in found.work)
    study.predict(
        "rate, 9:3:3",
        "tran/s",
        nine,
        TRAN,
        rate,
        station="coupling facility",
        kind="contention",
        like=(six, "lpar1_cps"),
        across=True,
    )


CASES = (
    Case(
        name="ims14-z14-16",
        source="ims14-z14",
        file="table-16",
        title="Full function with HALDB: z14 from z13, 4 CPs",
        question="What rate, response and CPU by address space will the new machine give?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; one relative capacity for all work",
        verdict_text=(
            "The claimed 10 % more capacity gives the rate 3 % too high and the CPU of IMS and its regions 1.4 % too low. The "
            "response stays the same: 95 % of it is off the CPs. The CPU of the system itself is too low: it grew by 5 %."
        ),
        run=_z14,
    ),
    Case(
        name="mq-otma-bridge",
        source="mq-otma",
        file="text-bridge-throughput",
        title="MQ-IMS bridge: 6 and 9 CPs on one of three LPARs",
        question="How much does the rate grow with three more CPs on LPAR 1, and with another three?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; rates are rounded to 100/s, the first is printed as around 11,000",
        verdict_text=(
            "Engines counted one for one are 16 % too good at 6 CPs, the LSPR's law 8 %: LPARs 2 and 3 are nearly full there, "
            "too. As one system of three LPARs and their coupling facility, the rates of 3:3:3 and 6:3:3, and how busy the "
            "coupling facility is, give the rate of 9:3:3 within 5 %, with LPARs 2 and 3 full, as the document says: their CPs "
            "also wait for the coupling facility, the longer the busier it is. All its requests are taken as synchronous, from "
            "the LPAR of the queue manager."
        ),
        run=_bridge,
    ),
)
