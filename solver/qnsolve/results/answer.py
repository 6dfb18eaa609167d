"""What the analyses hand back: rows, sentences and notes, printed alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .rendering import csv_text, defined, figure, html_table, text_table


@dataclass(frozen=True)
class Report:
    """Base of the results of analyses; each has attributes of its own.

    Attributes
    ----------
    heading : str
    notes : tuple of str
        What was left out and why, and what the figures rest on.
    """

    heading: str
    notes: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """The source of text, HTML, CSV and JSON."""
        raise NotImplementedError

    def sentences(self) -> tuple[str, ...]:
        """The result in words."""
        return ()

    def as_dict(self) -> dict[str, Any]:
        """The JSON object of the command line; undefined numbers are None."""
        rows = [defined(row) for row in self.rows()]
        return {"heading": self.heading, "rows": rows, "sentences": list(self.sentences()), "notes": list(self.notes)}

    def to_csv(self) -> str:
        """The rows as CSV, undefined numbers empty."""
        return csv_text(self.rows()) if self.rows() else ""

    def to_html(self) -> str:
        """The printed table as an HTML table."""
        return html_table(self.heading, *self._table(), self._below(), self._words())

    _repr_html_ = to_html

    def __str__(self) -> str:
        head, body = self._table()
        lines = [self.heading, ""]
        lines += [*text_table(head, body, self._words()), ""] if body else []
        return "\n".join(lines + self._below()).rstrip()

    def _table(self) -> tuple[list[list[str]], list[list[str]]]:
        rows = self.rows()
        head = [[name.replace("_", " ") for name in rows[0]]] if rows else []
        return head, [[figure(value) for value in row.values()] for row in rows]

    def _words(self) -> int:
        """Leading columns that hold words."""
        return next((i for i, v in enumerate(self.rows()[0].values()) if not isinstance(v, str)), 0) if self.rows() else 0

    def _below(self) -> list[str]:
        return [*self.sentences(), *(f"note: {note}" for note in self.notes)]
