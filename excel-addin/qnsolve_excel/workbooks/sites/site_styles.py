"""Formats of a system's workbook, each live and dead: dead is what follows no yellow cell."""

from __future__ import annotations

from typing import Any

from ..style import DEAD

INK, SOFT, GOOD, CLOSE, BAD = "#1A1A1A", "#57606A", "#1B6E3C", "#B36B00", "#A61B1B"
HEAD = {"bold": True, "bg_color": "#EAEEF2", "text_wrap": True, "valign": "top", "bottom": 1, "bottom_color": "#D0D7DE"}
LINE = {"bottom": 1, "bottom_color": "#E4E7EB"}
INPUT = {"font_color": "#0B5CAD", "bg_color": "#FFF9DB", "border": 1, "border_color": "#D0D7DE"}
TIME, LOAD, SHARE, PLAIN, COUNT = "0.0000", "#,##0.0", "0.0%", "General", "0"


class SiteStyles:
    """Formats by use; `dead` ones where the workbook does not recalculate."""

    def __init__(self, book: Any, live: bool) -> None:
        self.book, self.live = book, live
        self.kept: dict[tuple[tuple[str, Any], ...], Any] = {}

    def made(self, **properties: Any) -> Any:
        """A format, one for all cells of its kind."""
        key = tuple(sorted(properties.items()))
        if key not in self.kept:
            self.kept[key] = self.book.add_format(properties)
        return self.kept[key]

    def solved(self, form: str = PLAIN, **properties: Any) -> Any:
        """Of a cell that the solver fills: grey and in italics where it is dead."""
        return self.made(num_format=form, **{**LINE, **properties, **({} if self.live else DEAD)})

    def given(self, text: bool) -> Any:
        """Of a cell that the planner fills; plain where nothing follows it."""
        more = {"num_format": "@", "align": "left"} if text else {}
        return self.made(**(INPUT if self.live else LINE), **more)

    @property
    def head(self) -> Any:
        """Of headings."""
        return self.made(**HEAD)

    @property
    def title(self) -> Any:
        """Of a sheet's first line."""
        return self.made(bold=True, font_size=14)

    @property
    def soft(self) -> Any:
        """Of units and notes."""
        return self.made(font_color=SOFT, italic=False, font_size=9)

    @property
    def unit(self) -> Any:
        """Of units above headings."""
        return self.made(font_color=SOFT, font_size=9, text_wrap=True, valign="bottom")

    @property
    def warning(self) -> Any:
        """Of what must be read."""
        return self.made(font_color=BAD, bold=True)
