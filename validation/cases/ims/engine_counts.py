"""ims12 tables 3, 4, 5, 38, 40: releases, clients and engines of one LPAR."""

from __future__ import annotations

from typing import Any

from qnsolve import zos

from ...case import Case, Missing, Study
from ...models.ims_lpars import ENOUGH, cpu_of, one_lpar
from ...models.lspr import average_lspr
from ...published.published_tables import Row, fact, table

RATE, BUSY, ZIIP, ITR = "etr_tran_per_s", "cpu_busy_pct", "zip_busy_pct", "itr_tran_per_s"
ENGINES, ZIIPS = "ims_gp_engines", "ims_zip_engines"
HOW = "busy times engines / ETR"
REASON = "a capacity plan is held to 5 %"


def _demand(study: Study, row: Row, name: str, busy: str = BUSY, engines: str = ENGINES) -> float:
    return study.calibrate(name, cpu_of(row, busy, engines), "s", [row], HOW)


def _pools(study: Study) -> None:
    published = table("ims12", "table-03")
    cpu = _demand(study, published[1], "CPU, IMS 11")
    for number in (2, 3):
        row = published[number]
        result = study.solve_system(row.cells["config"], one_lpar(row[ENGINES], cpu=cpu, rate=row[RATE]))
        busy = result["IMS"].cpu_percent
        study.predict("CPs busy", "%", row, BUSY, busy, station="CPs", like=(published[1], RATE))


def _as_before(study: Study, base: Row, row: Row, result: zos.SystemResult) -> None:
    """Rate of the same clients, and CPs busy at it."""
    etr, busy = result["transactions"].etr, result["IMS"].cpu_percent
    study.predict("ETR", "tran/s", row, RATE, etr, station="clients", kind="ladder", like=(base, None))
    study.predict("CPs busy", "%", row, BUSY, busy, station="CPs", like=(base, RATE))


def _haldb(study: Study) -> None:
    base, row = table("ims12", "table-04").rows
    clients = study.given("clients", fact("ims12", "ims12-f027"))
    cpu = _demand(study, base, "CPU, IMS 11")
    first = study.solve_system("IMS 11", one_lpar(base[ENGINES], cpu=cpu, rate=base[RATE]))["transactions"]
    how = "clients / ETR - response at the CPs"
    think = study.calibrate("time of a client elsewhere", clients / base[RATE] - first.response_time, "s", [base], how)
    result = study.solve_system("IMS 12", one_lpar(row[ENGINES], cpu=cpu, users=int(clients), think_time=think))
    _as_before(study, base, row, result)


def _shared_queues(study: Study) -> None:
    base, row = table("ims12", "table-05").rows
    clients = study.given("clients", fact("ims12", "ims12-f033"))
    cpu = _demand(study, base, "CPU, IMS 11")
    ziip = _demand(study, base, "zIIP CPU, IMS 11", ZIIP, ZIIPS)

    def system(**driven: Any) -> zos.System:
        return zos.System(
            lpars=[zos.Lpar("IMS", processors=zos.Processors(row[ENGINES]), ziips=zos.Ziips(int(row[ZIIPS])))],
            regions=[zos.ImsRegions("regions", lpar="IMS", regions=ENOUGH)],
            work=[zos.Work("transactions", regions="regions", cpu=cpu + ziip, ziip_share=ziip / (cpu + ziip), **driven)],
        )

    response = study.solve_system("IMS 11", system(rate=base[RATE]))["transactions"].response_time
    how = "clients / ETR - response at the CPs"
    think = study.calibrate("time of a client elsewhere", clients / base[RATE] - response, "s", [base], how)
    result = study.solve_system("IMS 12", system(users=int(clients), think_time=think))
    _as_before(study, base, row, result)
    missing = Missing(
        "the share of work that IMS 12 lets go to zIIPs",
        "0.022 ms a transaction more than IMS 11, 27 %",
        "zIIP eligible CPU of the new release in any run: the share is an input of a release",
    )
    busy = result["IMS"].ziip_percent
    study.predict("zIIPs busy", "%", row, ZIIP, busy, station="zIIPs", like=(base, RATE), missing=missing)
    three = table("ims12", "table-04")[1]
    name = "CPU, IMS 11, 3 engines"
    rate = result["transactions"].etr
    other = one_lpar(three[ENGINES], cpu=_demand(study, three, name), rate=rate)
    moved = zos.move(other, "IMS", engines=row[ENGINES], lspr=average_lspr(study))
    busy = study.solve_system("from 3 engines", moved)["IMS"].cpu_percent
    naive = _engines_one_for_one(three, row)
    station = "processor capacity"
    study.predict("CPs busy, from 3 engines", "%", row, BUSY, busy, station=station, kind="ladder", naive=naive, across=True)


def _engines_one_for_one(base: Row, row: Row) -> float:
    """Busy of a row by the CPU of a transaction of another one [%]."""
    return base[BUSY] * base[ENGINES] / row[ENGINES] * row[RATE] / base[RATE]


def _clients(study: Study) -> None:
    base = table("ims12", "table-37")[1]
    how = "engines / ITR of IMS 11; IMS 12 costs the same"
    cpu = study.calibrate("CPU, 3000 clients", base[ENGINES] / base[ITR], "s", [base], how)
    runs = [(f"ITR, {row.cells['ims_version']}", row) for row in table("ims12", "table-38").rows]
    for name, row in [("ITR, IMS 12, 3000 clients", table("ims12", "table-37")[2]), *runs]:
        rate = row[BUSY] / 100 * row[ENGINES] / cpu
        itr = study.solve_system(name, one_lpar(row[ENGINES], cpu=cpu, rate=rate))["IMS"].itr
        study.predict(name, "tran/s", row, ITR, itr, station="CPs", like=(base, None), across=True)


def _seven_engines(study: Study) -> None:
    base, row = table("ims12", "table-03").rows[0], table("ims12", "table-40")[1]
    cpu = _demand(study, base, "CPU, 2 engines")
    system = one_lpar(base[ENGINES], cpu=cpu, rate=base[RATE])
    moved = zos.move(system, "IMS", engines=row[ENGINES], lspr=average_lspr(study))
    busy = study.solve_system("7 engines", zos.scale(moved, row[RATE] / base[RATE]))["IMS"].cpu_percent
    missing = Missing(
        "CPU outside the engine law: 30,000 SNA terminals and 48 regions in place of a smaller network",
        "0.024 ms of 0.114 ms a transaction",
        "seven engines with the network of table 3, or CPU by address space of both runs",
    )
    study.predict(
        "CPs busy",
        "%",
        row,
        BUSY,
        busy,
        station="processor capacity",
        kind="ladder",
        naive=_engines_one_for_one(base, row),
        across=True,
        missing=missing,
    )


CASES = (
    Case(
        name="ims12-3",
        source="ims12",
        file="table-03",
        title="Fast path on 2 engines: IMS 12 with expanded and compressed pools, from IMS 11",
        question="How busy will the new release make the engines at its rate?",
        tolerance=0.05,
        reason=REASON,
        verdict_text="CPU of a transaction carries over from the release before: 0.3 %, 0.9 % with expansion and compression.",
        run=_pools,
    ),
    Case(
        name="ims12-4",
        source="ims12",
        file="table-04",
        title="Full function with HALDB on 3 engines: IMS 12 from IMS 11",
        question="What rate and CPU will 4000 clients see with the new release?",
        tolerance=0.05,
        reason=REASON,
        verdict_text="The same CPU and the same clients give rate and CPU of the new release within 0.4 %: it costs no more.",
        run=_haldb,
    ),
    Case(
        name="ims12-5",
        source="ims12",
        file="table-05",
        title="Full function with HALDB and shared queues on 2 engines and 2 zIIPs: IMS 12 from IMS 11",
        question="What rate, CPU and zIIP busy will 4000 clients cause, and do 3 engines without shared queues predict them?",
        tolerance=0.05,
        reason=REASON,
        verdict_text=(
            "Rate and CPU are reproduced. The zIIP share grew by a quarter and is an input of a release. The CPU from table "
            "4, with the LSPR's engine law from 3 engines to 2, agrees too: shared queues add CPU, zIIPs take"
            " some away."
        ),
        run=_shared_queues,
    ),
    Case(
        name="ims12-38",
        source="ims12",
        file="table-38",
        title="Fast path over OTMA: 10,000 clients from 3000",
        question="Does a transaction cost more CPU when three times the clients are connected?",
        tolerance=0.05,
        reason=REASON,
        verdict_text="No: the ITR is the same. CPU busy is the same to the last digit in both tables, perhaps a copy in print.",
        run=_clients,
    ),
    Case(
        name="ims12-40",
        source="ims12",
        file="table-40",
        title="Fast path on 7 engines, from 2 engines",
        question="How busy are 7 engines with twice the rate of 2?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; the engine law is that of another machine",
        verdict_text=(
            "Engines counted one for one say 53 % busy, the LSPR's law 59 %, measured are 75 %: most of the difference is the "
            "larger network, not the engines. Engine counts alone do not carry over between networks."
        ),
        run=_seven_engines,
    ),
)
