"""cics-perf table 1-1 and the study of high rates: LSPR ratios of 3 and 5 CPs, and what they say of 18 and 26."""

from __future__ import annotations

from qnsolve import zos

from ...case import Case, Study
from ...models.lspr import average_lspr
from ...published.published_tables import Row, fact, table

LOW, AVERAGE, HIGH = (f"itr_ratio_{rni}_rni" for rni in ("low", "average", "high"))
LPAR, BUSY, RATE = "LPAR", 0.9, "etr_tran_per_s"


def _run(study: Study) -> None:
    published = table("cics-perf", "table-1-1")
    three, five = published[1], published[2]
    for row in (three, five):
        study.given(f"CPs of {row.cells['processor_model']}", row, "cps")
    gain = study.calibrate(
        "throughput gain, 3 to 5 CPs",
        (five[LOW] / three[LOW] * five[HIGH] / three[HIGH]) ** 0.5,
        "ratio",
        [three, five],
        "geometric mean of the gains of low and high RNI work",
    )
    base = study.calibrate("ITR ratio at 3 CPs", three[AVERAGE], "1/s", [three], "average RNI, as printed", kind="printed")
    before = _driven(int(three["cps"]), base)
    study.solve_system("3 CPs", before)
    after = zos.scale(zos.move(before, LPAR, engines=five["cps"], itr_ratio=gain), gain)
    itr = study.solve_system("moved to 5 CPs", after)[LPAR].itr
    study.predict(
        "ITR ratio, average RNI", "ratio", five, AVERAGE, itr, station="processor capacity", kind="path", like=(three, "cps")
    )
    _identities(study, three, five)


def _high_rates(study: Study) -> None:
    low, high = table("cics-perf", "text-high-transaction-rate").rows
    for row in (low, high):
        study.given(f"CPs of {row.cells['workload']}", row, "lpar_cps")
    cps = int(low["lpar_cps"])
    how = "CPs / peak rate at 18 CPs: the LPAR is full, or as full at both rates"
    cpu = study.calibrate("CPU with 18 CPs", cps / low[RATE], "s", [low], how)
    before = _driven(cps, cps / cpu)
    study.solve_system("18 CPs", before)
    after = zos.move(before, LPAR, engines=high["lpar_cps"], lspr=average_lspr(study))
    itr = study.solve_system("26 CPs", after)[LPAR].itr
    study.predict(
        "peak rate, 26 CPs",
        "tran/s",
        high,
        RATE,
        itr,
        station="processor capacity",
        kind="full center",
        like=(low, "lpar_cps"),
        across=True,
    )


def _driven(cps: int, itr: float) -> zos.System:
    """An LPAR driven to 90 % busy with transactions of the LSPR's."""
    regions = [zos.CicsRegion("region", lpar=LPAR, mxt=2000)]
    work = [zos.Work("LSPR transactions", rate=BUSY * itr, regions="region", open_cpu=cps / itr)]
    return zos.System(lpars=[zos.Lpar(LPAR, processors=zos.Processors(cps))], regions=regions, work=work, name="LSPR")


def _identities(study: Study, three: Row, five: Row) -> None:
    gain = five[AVERAGE] / three[AVERAGE]
    costs = [row["cps"] / row[AVERAGE] for row in (three, five)]
    station = "processor capacity"
    study.identity("throughput gain", "ratio", fact("cics-perf", "C1-007"), "value", gain, station=station)
    study.identity("CPU per transaction, 3 CPs", "s", fact("cics-perf", "C1-009"), "value", costs[0], station=station)
    study.identity("CPU per transaction, 5 CPs", "s", fact("cics-perf", "C1-010"), "value", costs[1], station=station)
    growth = 100 * (costs[1] / costs[0] - 1)
    study.identity("growth of CPU per transaction", "%", fact("cics-perf", "C1-011"), "value", growth, station=station)


CASES = (
    Case(
        name="cics-perf-1-1",
        source="cics-perf",
        file="table-1-1",
        title="LSPR internal throughput ratios of two z13 models",
        question="What do two more CPs bring for work of average RNI?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; engines counted one for one are 4.7 % too good here",
        verdict_text=(
            "Average work lies between low and high RNI: their gains predict its gain. The four figures of the text follow "
            "from the table itself and are identities."
        ),
        run=_run,
    ),
    Case(
        name="cics-perf-high-rates",
        source="cics-perf",
        file="text-high-transaction-rate",
        title="Peak rates of CICS on 18 and 26 CPs of a z13",
        question="What does one LPAR do with eight more CPs?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; the two workloads are not said to be the same",
        verdict_text=(
            "The LSPR's law of 3 and 5 CPs, average RNI, carried on to 26: 2.8 % too low. Engines counted one for one are "
            "10.7 % too good. Whether both runs had the same CPU a transaction is not printed."
        ),
        run=_high_rates,
    ),
)
