"""Base of all answers: rows, text, HTML and export."""

from __future__ import annotations

import html
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from qnsolve.errors import ModelError

from .columns import NO_WAIT, column, table_of
from .look import PLAIN, Look
from .rendering import Table, csv_text, defined, html_table, text_table

FRAMES = ("pandas", "polars")  # the first one that is installed


class Answer(ABC):
    """Base of all answers. `rows()` is the one source of text, HTML, CSV, JSON and data frames."""

    chooses_units: ClassVar[bool] = False  # whether text has times in the unit that suits them and shares in percent

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

    def given(self) -> frozenset[str]:
        """The columns of rows that hold what was given, not what was found."""
        return frozenset()

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
        unit, given = self.time_unit(), self.given()
        keys = {key: [row[key] for row in rows] for key in rows[0]}
        floors: dict[str, list[float]] = {}
        if self.chooses_units and "response_time" in keys:
            floors["admission_wait"] = [NO_WAIT * time for time in keys["response_time"]]
        columns = [
            column(key, values, unit, chosen=self.chooses_units, given=key in given, floors=floors.get(key, ()))
            for key, values in keys.items()
        ]
        return table_of(columns)

    def tables_in(self, look: Look) -> list[Table]:
        """The tables that a look asks for."""
        return self.tables()

    def text(self, look: Look = PLAIN) -> str:
        """The printed answer: title, tables, sentences and notes.

        Parameters
        ----------
        look : Look, optional
            Width and colours of a terminal; plain where left out.
        """
        blocks = [text_table(table, look) for table in self.tables_in(look)]
        title = [look.painted(line, "heading") for line in look.paragraph(self.title())]
        notes = [look.painted(line, "note") for note in self._notes() for line in look.paragraph(note)]
        below = [line for sentence in self.sentences() for line in look.paragraph(sentence)]
        below = [*below, *notes]
        return "\n\n".join("\n".join(block) for block in [title, *self.ordered(blocks, below)] if block)

    def ordered(self, blocks: list[list[str]], below: list[str]) -> list[list[str]]:
        """The tables and the sentences in the order in which they are printed."""
        return [*blocks, below]

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
        return self.text()

    def _below(self) -> list[str]:
        """The sentences, then the notes."""
        return [*self.sentences(), *self._notes()]

    def _notes(self) -> list[str]:
        notes: tuple[str, ...] = getattr(self, "notes", ())
        return [f"note: {note}" for note in notes]


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
