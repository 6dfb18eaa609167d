"""Base of all answers: rows, text, HTML and export."""

from __future__ import annotations

import html
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from qnsolve.errors import ModelError

from .rendering import Table, csv_text, defined, figure, html_table, text_table
from .terms import heading

NAMED = ("quantity", "figure")  # columns whose cells name a figure
FRAMES = ("pandas", "polars")  # the first one that is installed


class Answer(ABC):
    """Base of all answers. `rows()` is the one source of text, HTML, CSV, JSON and data frames."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The figures, a dict a row; undefined numbers are nan."""

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """The object that --json prints; undefined numbers are None."""

    @abstractmethod
    def title(self) -> str:
        """The line above the tables."""

    def time_unit(self) -> str:
        """The unit of its times."""
        return "s"

    def sentences(self) -> tuple[str, ...]:
        """The answer in words."""
        return ()

    def tables(self) -> list[Table]:
        """The printed tables; by default one table of all rows."""
        rows = self.rows()
        if not rows:
            return []
        return [self._table(rows)]

    def _table(self, rows: list[dict[str, Any]]) -> Table:
        """One table of rows."""
        words = [all(isinstance(row[key], str) for row in rows) for key in rows[0]]
        head = [list(line) for line in zip(*(heading(key, self.time_unit()) for key in rows[0]), strict=True)]
        head = [line for line in head if any(line)]
        body = [[heading(value)[0] if key in NAMED else figure(value) for key, value in row.items()] for row in rows]
        return Table(head, body, words.index(False) if False in words else len(words))

    def to_json(self) -> str:
        """The object that --json prints, as text."""
        return json.dumps(self.as_dict(), allow_nan=False, ensure_ascii=False)

    def to_csv(self) -> str:
        """The rows as CSV, undefined numbers empty."""
        rows = self.rows()
        return csv_text(rows) if rows else ""

    def to_html(self) -> str:
        """The printed tables and sentences in HTML."""
        tables = self.tables()
        titles = [self.title() if not table.title else table.title for table in tables]
        parts = [html_table(table, caption) for table, caption in zip(tables, titles, strict=True)]
        return "".join(parts) + "".join(f"<p>{html.escape(line)}</p>\n" for line in self._below())

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_frame(self) -> Any:
        """The rows as a data frame of pandas, or of polars if only that is installed.

        Raises
        ------
        ModelError
            Where neither is installed.
        """
        for name in FRAMES:
            try:
                return import_module(name).DataFrame(self.rows())
            except ModuleNotFoundError as error:
                if error.name != name:
                    raise
        raise ModelError("to_frame", "needs pandas or polars", "install one of them: pip install pandas")

    def __str__(self) -> str:
        blocks = [text_table(table) for table in self.tables()]
        blocks = [[self.title()], *blocks, self._below()]
        return "\n\n".join("\n".join(block) for block in blocks if block)

    def _below(self) -> list[str]:
        """The sentences, then the notes."""
        notes: tuple[str, ...] = getattr(self, "notes", ())
        return [*self.sentences(), *(f"note: {note}" for note in notes)]


@dataclass(frozen=True)
class Report(Answer):
    """Base of the answers of analyses; each has attributes of its own.

    Attributes
    ----------
    heading : str
    notes : tuple of str
        Parts left out, with the reason, and assumptions behind the figures.
    """

    heading: str
    notes: tuple[str, ...]

    def title(self) -> str:
        """The line above the tables."""
        return self.heading

    def as_dict(self) -> dict[str, Any]:
        """The object that --json prints; undefined numbers are None."""
        rows = [defined(row) for row in self.rows()]
        return {"heading": self.heading, "rows": rows, "sentences": list(self.sentences()), "notes": list(self.notes)}
