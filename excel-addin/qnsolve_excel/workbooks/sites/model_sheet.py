"""The sheet Model: the question and the system as tables with every column, units, checks of what is typed, and room."""

from __future__ import annotations

from typing import Any

from .site_tables import CHOICES, SHARES, WHOLE, SiteTable
from .site_writer import SiteWriter

WIDTHS, WIDEST = (34, 13), 40  # of the first column and of others; of a column of names
LIVE = (
    "Yellow cells may be changed, and every sheet follows. Type further rows right below a table; to get more room, insert "
    "rows above its grey line. Times in seconds."
)
DEAD = "The system that was solved. Nothing in this file follows these cells but sheet Load, where there is one."


def model_sheet(writer: SiteWriter, sheet: Any) -> None:
    """Write it, and name its ranges."""
    styles = writer.styles
    sheet.hide_gridlines(2)
    sheet.write_string(0, 0, "Model", styles.title)
    sheet.write_string(1, 0, LIVE if writer.live else DEAD, styles.soft)
    widest = max(len(table.rows[0]) + table.wide for table in writer.site.tables)
    sheet.set_column(0, 0, WIDTHS[0])
    for j in range(1, widest + 1):
        texts = [row[j] for table in writer.site.tables for row in table.rows[1:] if j < len(row) and isinstance(row[j], str)]
        sheet.set_column(j, j, min(WIDEST, max([WIDTHS[1], *(len(text) + 1 for text in texts)])))
    row, names = 3, {}
    for table in writer.site.tables:
        names[table.key] = row + 2
        row = _table(writer, sheet, table, row)
    _checks(writer, sheet, names)
    sheet.print_area(0, 0, row, widest - 1)


def _table(writer: SiteWriter, sheet: Any, table: SiteTable, row: int) -> int:
    """Label, units, headings, figures and room; the row below."""
    from xlsxwriter.utility import xl_range_abs

    styles = writer.styles
    heads, body = table.rows[0], table.rows[1:]
    sheet.write_string(row, 0, table.label, styles.made(bold=True, font_size=12))
    top = row + 2
    last = top + len(body)
    for j, head in enumerate(heads):
        sheet.write_string(row + 1, j, table.unit(head), styles.unit)
    sheet.set_row(row + 1, 26)
    columns = [{"header": head, "header_format": styles.head} for head in heads]
    options = {"name": f"table_{table.key}", "columns": columns, "style": None, "autofilter": False}
    sheet.add_table(top, 0, last, len(heads) - 1, options)
    sheet.set_row(top, 32)
    for j in range(len(heads), len(heads) + table.wide):
        sheet.write_blank(top, j, None, styles.given(text=True))
    for i in range(1, len(body) + 1 + table.spare):
        cells = body[i - 1] if i <= len(body) else []
        for j in range(len(heads) + table.wide):
            value = cells[j] if j < len(cells) else None
            text = j < len(heads) and table.is_text(heads[j])
            style = styles.given(text=text or isinstance(value, str))
            if value is None:
                sheet.write_blank(top + i, j, None, style)
            elif isinstance(value, bool):
                sheet.write_boolean(top + i, j, value, style)
            elif isinstance(value, str):
                sheet.write_string(top + i, j, value, style)
            else:
                sheet.write_number(top + i, j, value, style)
    bottom, right = last + table.spare, len(heads) + table.wide - 1
    writer.book.define_name(table.key, f"=Model!{xl_range_abs(top, 0, bottom, right)}")
    line = f"end of {table.key}: rows are read down to here" if table.spare else ""
    sheet.write_string(bottom + 1, 0, line, styles.soft)
    return bottom + 3


def _checks(writer: SiteWriter, sheet: Any, tops: dict[str, int]) -> None:
    """What the cells of each column accept."""
    from xlsxwriter.utility import xl_range_abs

    tables = {table.key: table for table in writer.site.tables}
    for key, table in tables.items():
        first, last = tops[key] + 1, tops[key] + len(table.rows) - 1 + table.spare
        for j, head in enumerate(table.rows[0]):
            rule: dict[str, Any] | None = None
            if head in CHOICES:
                rule = {"validate": "list", "source": list(CHOICES[head])}
            elif head == "lpar":
                hosts = tables["lpars"]
                place = xl_range_abs(tops["lpars"] + 1, 0, tops["lpars"] + len(hosts.rows) - 1 + hosts.spare, 0)
                rule = {"validate": "list", "source": f"={place}"}
            elif head in SHARES:
                rule = {"validate": "decimal", "criteria": "between", "minimum": 0, "maximum": 1}
            elif head in WHOLE:
                least, most = WHOLE[head]
                rule = {"validate": "integer", "criteria": "between", "minimum": least, "maximum": most}
            elif not table.is_text(head):
                rule = {"validate": "decimal", "criteria": ">=", "value": 0}
            if rule is not None:
                message = f"{head}: {_rule(rule)}"[:255]
                sheet.data_validation(first, j, last, j, {**rule, "error_title": "qnsolve", "error_message": message})


def _rule(rule: dict[str, Any]) -> str:
    """A check in words."""
    if rule["validate"] == "list":
        return "one of the list" if isinstance(rule["source"], str) else ", ".join(rule["source"])
    whole = "a whole number" if rule["validate"] == "integer" else "a number"
    return f"{whole}, 0 or more" if "value" in rule else f"{whole} from {rule['minimum']} to {rule['maximum']}"
