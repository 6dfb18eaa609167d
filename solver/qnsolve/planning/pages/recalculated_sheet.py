"""The sheet of a study's workbook that recalculates: loads by period from growth, and what they use of each center."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..load_points import LoadPoints
from ..loads.months import month_of, years_between

if TYPE_CHECKING:
    from ..study import Study

HEAT = {"min_color": "#FFFFFF", "mid_color": "#F2C46D", "max_color": "#D9622E"}
TOP = 4  # row of the inputs' heading
EXPLAINED = (
    "Yellow cells may be changed: loads and uses follow. A use is that of today, solved, in proportion to the work that comes "
    "to the center (utilization law): what waits do to TCBs and to response times is not in it; for that solve the study again."
)


def recalculated_sheet(study: Study, book: Any, sheet: Any, form: dict[str, Any]) -> None:
    """Write it."""
    from xlsxwriter.utility import xl_rowcol_to_cell as cell

    works, periods = study.periods[0].work, study.periods
    start = month_of("from", study.asked.begin)
    years = [years_between(start, month_of("month", period.month)) for period in periods]
    units = sorted({"users" if item.rate is None else "1/s" for item in study.system.work})
    sheet.set_column(0, 0, 40)
    sheet.set_column(1, 3 + len(periods), 11)
    sheet.write_string(0, 0, "Load and use, recalculated", form["section"])
    sheet.merge_range(1, 0, 1, 10, "", form["wrap"])
    sheet.write_string(1, 0, EXPLAINED, form["wrap"])
    sheet.set_row(1, 32)
    for j, head in enumerate(
        ("work", f"load today [{' or '.join(units)}]", "growth a year", *(period.name for period in periods))
    ):
        sheet.write_string(TOP, j, head, form["head"])
    sheet.write_string(TOP - 1, 0, "years from today", form["dead"])
    sheet.set_row(TOP, 32)
    for j, value in enumerate(years, start=3):
        sheet.write_number(TOP - 1, j, value, form["years"])
    yearly = _yearly(study)
    for w, work in enumerate(works):
        row = TOP + 1 + w
        sheet.write_string(row, 0, work.name)
        sheet.write_number(row, 1, work.load / periods[0].factors[work.name], form["input_load"])
        sheet.write_number(row, 2, yearly[w] - 1, form["input"])
        for j, period in enumerate(periods, start=3):
            factor = period.factors[work.name]
            shape = factor / yearly[w] ** years[j - 3]  # seasons, special days, forecasts
            text = f"={cell(row, 1, col_abs=True)}*(1+{cell(row, 2, col_abs=True)})^{cell(TOP - 1, j, row_abs=True)}"
            text += f"*{shape:.12g}" if abs(shape - 1) > 1e-12 else ""
            sheet.write_formula(row, j, text, form["load"], period.work[w].load)
    _uses(study, sheet, form, TOP + 3 + len(works))


def _yearly(study: Study) -> list[float]:
    """Load after a year over that before, of each work."""
    return study.path.yearly.tolist()


def _uses(study: Study, sheet: Any, form: dict[str, Any], top: int) -> None:
    """The use of each center in proportion to its load, and the first period in which it is full."""
    from xlsxwriter.utility import xl_rowcol_to_cell as cell

    works, periods = study.periods[0].work, study.periods
    points = LoadPoints(study.system, {})
    plain = points.plain
    ones = np.ones(len(works))
    today = [work.load / periods[0].factors[work.name] for work in works]
    for j, head in enumerate(("center", "use today", "full in", *(period.name for period in periods))):
        sheet.write_string(top, j, head, form["head"])
    sheet.set_row(top, 18)
    row = top
    for use in study.centers:
        name = next((each for each in plain.names if points.grouped(each) == use.name), "")
        rest = plain.at(name, ones)
        if not name or rest <= 0 or not use.limits or use.kind == "limit":
            continue
        row += 1
        sheet.write_string(row, 0, use.name)
        sheet.write_number(row, 1, use.used[0] / 100, form["dead_percent"])
        parts = [(w, float(share) / rest) for w, share in enumerate(plain.own(name)) if share]
        fixed = 1 - sum(part for _, part in parts)
        first, last = cell(row, 3, col_abs=True), cell(row, 2 + len(periods), col_abs=True)
        heads = f"{cell(top, 3, True, True)}:{cell(top, 2 + len(periods), True, True)}"
        found = "after the last"
        values = [
            use.used[0] / 100 * (fixed + sum(part * period.factors[works[w].name] for w, part in parts)) for period in periods
        ]
        if any(value >= 1 for value in values):
            found = periods[next(i for i, value in enumerate(values) if value >= 1)].name
        text = f'=IFERROR(INDEX({heads},MATCH(TRUE,INDEX({first}:{last}>=1,0),0)),"after the last")'
        sheet.write_formula(row, 2, text, form["text"], found)
        for j, value in enumerate(values, start=3):
            # over the load that was solved, not over the cell: that one may be changed too
            terms = [f"{part:.12g}*{cell(TOP + 1 + w, j)}/{today[w]:.15g}" for w, part in parts]
            base = "+".join([*([f"{fixed:.12g}"] if abs(fixed) > 1e-12 else []), *terms])
            sheet.write_formula(row, j, f"={cell(row, 1, col_abs=True)}*({base})", form["live"], value)
    if row > top:
        place = (top + 1, 3, row, 2 + len(periods))
        scale = {"type": "3_color_scale", "min_type": "num", "mid_type": "num", "max_type": "num"}
        limits = {"min_value": 0.3, "mid_value": 0.7, "max_value": 1.0}
        sheet.conditional_format(
            *place, {**scale, **limits, "min_color": "#FFFFFF", "mid_color": "#F2C46D", "max_color": "#D9622E"}
        )
