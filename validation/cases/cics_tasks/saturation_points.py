"""cics-perf sections 5.3.2 and 5.11.4: rates where the QR TCB, the RO TCB and the CPs of an LPAR are full."""

from __future__ import annotations

from typing import Any

from qnsolve import zos

from ...case import Case, Missing, Study
from ...published.published_tables import Row, table

LIMIT, DEMAND = "observed_limit_per_s", "demand_ms"
MANY = 400  # users with zero think time: enough to keep one station busy
KEYS = {"QR TCB": "qr_cpu", "LPAR": "open_cpu", "RO TCB": "ro_cpu"}
CPS = 4  # engines of the LPAR are not printed: inferred, 3 would take 436 and 5 would take 727 a second

ROUND = Missing(
    "a QR TCB that is not full, or a round figure: the limit is printed as around 200, the document's own calculation is 217",
    "17 a second of 217; half a unit of the one digit is 100",
    "the highest rate with three digits, and QR TCB busy there",
)


def _run(study: Study) -> None:
    for row in table("cics-perf", "text-saturation-points").rows:
        if row.cells[LIMIT]:
            key = next(value for station, value in KEYS.items() if row.cells["bottleneck"].startswith(station))
            _limit(study, row, key)


def _limit(study: Study, row: Row, key: str) -> None:
    name = row.cells["bottleneck"]
    enters = "printed" if key == "qr_cpu" else "identity"
    demand = study.calibrate(f"demand, {name}", row[DEMAND] / 1000, "s", [row], row.cells["demand_kind"], kind=enters)
    if key == "open_cpu":
        study.calibrate(
            "CPs of the LPAR", CPS, "count", [row], "the whole number that the printed limit is nearest to", kind="identity"
        )
    needs: dict[str, Any] = {key: demand}
    step = zos.Step("region", **needs)
    system = zos.System(
        lpars=[zos.Lpar("LPAR", processors=zos.Processors(CPS))],
        regions=[zos.CicsRegion("region", lpar="LPAR", mxt=500)],
        work=[zos.Work("transactions", users=MANY, steps=[step])],
        name=f"{row.cells['workload']}, CICS TS {row.cells['release']}",
    )
    rate = study.solve_system(name, system)["transactions"].etr
    # the limit gave the number of CPs, and the 5 ms of the RO TCB are one over its 200 a second
    station = next(station for station in KEYS if name.startswith(station))
    if key == "qr_cpu":
        study.predict(
            f"highest rate, {name}",
            "1/s",
            row,
            LIMIT,
            rate,
            station=station,
            kind="full center",
            naive=1000 / row[DEMAND],
            missing=ROUND,
        )
    else:
        study.identity(f"highest rate, {name}", "1/s", row, LIMIT, rate, station=station)


CASES = (
    Case(
        name="cics-perf-5-saturation",
        source="cics-perf",
        file="text-saturation-points",
        title="Rates at which one station of a region is full",
        question="Which rate does each of them allow?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=(
            "The highest rate is one over the demand of the station. For the QR TCB it is 9 % above the observed rate, as in "
            "the document's own calculation: a QR TCB is never quite 100 % busy. The number of CPs is inferred from the limit "
            "of the LPAR, which is then an identity, as is that of the RO TCB: 200 a second and 5 ms are one over the other."
        ),
        run=_run,
    ),
)
