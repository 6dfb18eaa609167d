"""Formats of a planning workbook: what is given is blue on yellow, what is computed black."""

from __future__ import annotations

from typing import Any

from .parts import TEXT

DEAD = {"italic": True, "font_color": "#57606A", "bg_color": "#E4E7EB"}  # a value that follows no input


class Styles:
    """Formats by use."""

    def __init__(self, book: Any) -> None:
        self.book = book
        line = {"bottom": 1, "bottom_color": "#D0D7DE"}
        self.title = book.add_format({"bold": True, "font_size": 15})
        self.heading = book.add_format({"bold": True, "font_size": 12})
        self.head = book.add_format({"bold": True, "bg_color": "#EAEEF2", "text_wrap": True, "valign": "top", **line})
        self.soft = book.add_format({"font_color": "#57606A", "indent": 1})
        self.input = book.add_format({"font_color": "#0B5CAD", "bg_color": "#FFF9DB", "border": 1, "border_color": "#D0D7DE"})
        self.text_input = book.add_format(
            {"font_color": "#0B5CAD", "bg_color": "#FFF9DB", "border": 1, "border_color": "#D0D7DE", "align": "left"}
        )
        self.plain = book.add_format(line)
        self.figure = book.add_format({"num_format": "0.0000", **line})
        self.first = book.add_format({"num_format": "0.##", "align": "left", **line})
        self.wrapped = book.add_format({"text_wrap": True, "valign": "top"})
        self.top = book.add_format({"valign": "top"})
        self.dead_head = book.add_format({"bold": True, "text_wrap": True, "valign": "top", **line, **DEAD})
        self.dead_first = book.add_format({"num_format": "0.##", "align": "left", **line, **DEAD})
        self.hidden = book.add_format({"font_color": "#FFFFFF"})
        self._results: dict[tuple[str, bool], Any] = {}

    def result(self, form: str, dead: bool = False) -> Any:
        """The format of a result with that number format; `dead` where it follows no input."""
        if (form, dead) not in self._results:
            wrapped = {"text_wrap": True, "valign": "top", "align": "left"} if form == TEXT else {}
            properties = {"num_format": form, "bottom": 1, "bottom_color": "#D0D7DE", **wrapped, **(DEAD if dead else {})}
            self._results[form, dead] = self.book.add_format(properties)
        return self._results[form, dead]
