"""ims12 tables 6, 35: a batch program; indexes that are defined and not used."""

from __future__ import annotations

from ...case import Case, Missing, Study
from ...models.ims_lpars import cpu_of, one_lpar
from ...published.published_tables import table

BUSY, ENGINES, RATE = "cpu_busy_pct", "ims_gp_engines", "etr_tran_per_s"
REASON = "a capacity plan is held to 5 %"


def _bmp(study: Study) -> None:
    base, row = table("ims12", "table-06").rows
    seconds = base[BUSY] / 100 * base[ENGINES] * base["elapsed_s"]
    seconds = study.calibrate("CPU of the run", seconds, "s", [base], "busy times engines times elapsed time, IMS 11")
    system = one_lpar(row[ENGINES], cpu=seconds, rate=1 / row["elapsed_s"])
    busy = study.solve_system("the run of IMS 12", system)["IMS"].cpu_percent
    study.predict("CPs busy", "%", row, BUSY, busy, station="CPs", like=(base, None))


def _indexes(study: Study) -> None:
    rows = table("ims12", "table-35").rows
    used = [cpu_of(row, BUSY, ENGINES) for row in rows]
    each = (used[1] - used[0]) / rows[1]["secondary_indexes_defined"]
    how = "CPU with two indexes less CPU without, over two"
    each = study.calibrate("CPU of an index", each, "s", rows[:2], how)
    none = study.calibrate("CPU without indexes", used[0], "s", [rows[0]], "busy times engines / ETR")
    row = rows[2]
    cpu = none + each * row["secondary_indexes_defined"]
    busy = study.solve_system("four indexes", one_lpar(row[ENGINES], cpu=cpu, rate=row[RATE]))["IMS"].cpu_percent
    missing = Missing(
        "indexes three and four, which cost less than the first two",
        "0.011 ms a transaction each in place of 0.042 ms; busy is printed in tenths of a percent",
        "CPU with one and with three indexes",
    )
    study.predict("CPs busy", "%", row, BUSY, busy, station="CPs", kind="ladder", like=(rows[1], RATE), missing=missing)


CASES = (
    Case(
        "ims12-6",
        "ims12",
        "table-06",
        "Banking batch run: IMS 12 from IMS 11",
        "How busy are the CPs during the run?",
        0.05,
        REASON,
        "CPU seconds of the run stay the same; it takes 2.6 % longer, so the CPs are less busy by that.",
        _bmp,
    ),
    Case(
        "ims12-35",
        "ims12",
        "table-35",
        "Secondary indexes that are defined and not used",
        "What CPU do four of them cost?",
        0.05,
        REASON,
        "Two cost 0.083 ms a transaction, two more 0.023 ms: they do not cost the same each.",
        _indexes,
    ),
)
