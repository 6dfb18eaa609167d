"""Formats of a planning workbook: what is given is blue on yellow, what is computed black."""

from __future__ import annotations

from typing import Any


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
        self._results: dict[str, Any] = {}

    def result(self, form: str) -> Any:
        """The format of a result with that number format."""
        if form not in self._results:
            self._results[form] = self.book.add_format({"num_format": form, "bottom": 1, "bottom_color": "#D0D7DE"})
        return self._results[form]
