"""What all sheets of a system's workbook share: formulas with their values, tables that functions give, dead cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from qnsolve.errors import ModelError

from ...cells import CellError
from ...dispatch import call
from ..formulas import SPELLING
from .site_styles import SiteStyles
from .site_tables import Site, arguments

TOP = 4  # row of the headings of a table that a function gives
ROOM_ROWS, ROOM_COLUMNS = (
    20,
    12,
)  # of a table that a function gives, in a program whose arrays do not grow: at least so many more
DEAD_NOTE = "Grey in italics: solved when this file was written. It follows no yellow cell: solve the file again."
Table = list[list[Any]]


class SiteWriter:
    """A workbook in the making.

    Parameters
    ----------
    book : xlsxwriter.Workbook
    site : Site
    flavour : str
        "native" and "values" have no functions: what was solved is dead there.
    """

    def __init__(self, book: Any, site: Site, flavour: str) -> None:
        self.book, self.site, self.flavour = book, site, flavour
        self.live = flavour in SPELLING
        self.styles = SiteStyles(book, self.live)
        self.known: dict[tuple[str, tuple[str, ...]], Table | float | str | CellError] = {}

    def formula(self, function: str, extra: Sequence[str] = ()) -> str:
        """The call of a function on the tables, without the sign in front."""
        given = [self._range(key) for key in arguments(function)] + [f'"{text}"' for text in extra]
        return f"{SPELLING[self.flavour].format(function)}({','.join(given)})"

    def why(self, function: str, extra: Sequence[str] = ()) -> str:
        """The call that gives the reason of an error of that function."""
        given = [f'"{function}"'] + [self._range(key) for key in arguments(function)] + [f'"{text}"' for text in extra]
        return f"{SPELLING[self.flavour].format('WHY')}({','.join(given)})"

    def _range(self, key: str) -> str:
        """A named range; where empty cells of a range are zeros to a function, they become texts first."""
        return f'IF({key}="","",{key})' if self.flavour == "officejs" else key

    def answer(self, function: str, extra: Sequence[str] = ()) -> Any:
        """What a function gives on the tables as they are written."""
        key = function, tuple(extra)
        if key not in self.known:
            values = self.site.values
            found = call(function, [*(values[each] for each in arguments(function)), *extra])
            if isinstance(found, CellError) and function.startswith("STUDY"):
                raise ModelError("workbook", f"has no study to show: {found.reason}", "correct that, or solve the file alone")
            self.known[key] = found
        return self.known[key]

    def cell(self, sheet: Any, row: int, column: int, formula: str, value: Any, style: Any) -> None:
        """A formula with its value; the value alone where the workbook does not recalculate."""
        value = "" if value is None else value
        if self.live:
            sheet.write_formula(row, column, f"={formula}", style, value)
        elif value == "":
            sheet.write_blank(row, column, None, style)
        else:
            sheet.write(row, column, value, style)

    def head(self, sheet: Any, title: str, note: str = "") -> None:
        """The first two rows of a sheet of results."""
        sheet.hide_gridlines(2)
        sheet.write_string(0, 0, title, self.styles.title)
        sheet.write_string(1, 0, note if self.live else DEAD_NOTE, self.styles.soft if self.live else self.styles.solved())

    def spill(
        self,
        sheet: Any,
        function: str,
        form: Callable[[str, int], str],
        extra: Sequence[str] = (),
        column: int = 0,
        columns: int | None = None,
    ) -> Table:
        """A table that a function gives, its headings in row `TOP`; above it a line that says why it is empty or cut off.

        Parameters
        ----------
        sheet : worksheet
        function : str
        form : callable
            Heading and place of a column to a number format.
        extra : sequence of str
            Arguments after the tables.
        column : int
            Where it begins.
        columns : int, optional
            Columns that it may take in all.
        """
        found = self.answer(function, extra)
        rows: Table = found if isinstance(found, list) else [[""]]
        high = max(2 * len(rows), len(rows) + ROOM_ROWS)
        wide = columns or len(rows[0]) + ROOM_COLUMNS
        if self.live:
            self._guard(sheet, function, extra, column, (high, wide))
        if self.flavour == "calc":
            self._sized(sheet, self.formula(function, extra), column, (high, wide), rows[0][0])
        elif self.live:
            text = f"=IFERROR({self.formula(function, extra)},{self.why(function, extra)})"
            bottom, right = TOP + len(rows) - 1, column + len(rows[0]) - 1
            sheet.write_dynamic_array_formula(TOP, column, bottom, right, text, self.styles.head, rows[0][0])
        shown_rows, shown = (high, wide) if self.flavour == "calc" else (len(rows), len(rows[0]))
        for i in range(shown_rows):
            for j in range(shown):
                if self.live and i == j == 0:
                    continue
                value = rows[i][j] if i < len(rows) and j < len(rows[i]) else ""
                heading = str(rows[0][j]) if j < len(rows[0]) else ""
                style = self._style(i, j, value, heading, form, bool(heading))
                if value == "" or value is None:
                    sheet.write_blank(TOP + i, column + j, None, style)
                else:
                    sheet.write(TOP + i, column + j, value, style)
        return rows

    def _style(self, i: int, j: int, value: Any, heading: str, form: Callable[[str, int], str], used: bool) -> Any:
        if i == 0:
            return self.styles.head if used else self.styles.made(bold=True)
        return (
            self.styles.solved(form(heading, j)) if value not in ("", None) else self.styles.made(num_format=form(heading, j))
        )

    def _sized(self, sheet: Any, text: str, column: int, size: tuple[int, int], value: Any) -> None:
        """An array formula over the table and room below and beside it, empty there."""
        from xlsxwriter.utility import xl_range

        area = TOP, column, TOP + size[0] - 1, column + size[1] - 1
        place = xl_range(*area)
        formula = f'=IFERROR(IF((ROW({place})>0)*(COLUMN({place})>0),{text}),"")'
        sheet.write_array_formula(*area, formula, self.styles.head, value)

    def _guard(self, sheet: Any, function: str, extra: Sequence[str], column: int, size: tuple[int, int]) -> None:
        """The reason of an error; or a warning where a table has outgrown its room."""
        text, why = self.formula(function, extra), self.why(function, extra)
        full = f"OR(ROWS({text})>{size[0]},COLUMNS({text})>{size[1]})" if self.flavour == "calc" else f"ROWS({text})<0"
        line = "The table has more rows or columns than there is room below: select a larger area and enter its formula there."
        found = self.answer(function, extra)
        value = found.reason if isinstance(found, CellError) else ""
        sheet.write_formula(
            2, column, f'=IF(ISERROR(INDEX({text},1,1)),{why},IF({full},"{line}",""))', self.styles.warning, value
        )
