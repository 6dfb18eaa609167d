"""What a planning sheet is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

GENERAL, WHOLE, SHARE = "0.0000", "0", "0.0%"
TEXT = "@"  # of a result that is a text, which takes the width of the sheet


class Text(str):
    """An argument that is a text itself, no key."""

    __slots__ = ()


@dataclass(frozen=True)
class Input:
    """A figure that the planner gives.

    Attributes
    ----------
    key : str
        Name of its cell in the workbook, and of an argument.
    label, unit, note : str
    value : float or str
    least, most : float, optional
        What the cell accepts.
    whole : bool
        Whether it accepts whole numbers alone.
    """

    key: str
    label: str
    value: float | str
    unit: str = ""
    note: str = ""
    least: float | None = None
    most: float | None = None
    whole: bool = False


@dataclass(frozen=True)
class InputTable:
    """A table that the planner gives, `headed` where its first row holds headings; `key` is the name of its range."""

    key: str
    label: str
    rows: Sequence[Sequence[Any]]
    spare: int = 2  # empty rows at its end that belong to the range
    headed: bool = True
    beside: int = 2  # empty columns of a headed table that belong to the range, for further headings


@dataclass(frozen=True)
class Result:
    """A figure that a worksheet function gives.

    Attributes
    ----------
    key : str
        Name of its cell.
    label, unit, note : str
    function : str
        Without namespace.
    arguments : sequence
        Keys of inputs, of tables or of results before, or plain numbers; None is left out.
    native : str
        The same as a plain formula, keys in braces; "" where there is none. In a row of a table {1}, {2} ... are
        its cells from the first column on, {up2} the one above the third.
    form : str
        Number format.
    part : (int, int), optional
        Row and column of the figure, from 1, where the function gives a table.
    """

    key: str
    label: str
    function: str
    arguments: Sequence[str | float | None]
    unit: str = ""
    native: str = ""
    form: str = GENERAL
    note: str = ""
    part: tuple[int, int] | None = None


@dataclass(frozen=True)
class Spill:
    """A table that a worksheet function gives.

    Attributes
    ----------
    label, function, arguments
        As of a `Result`.
    lines : sequence of int
        Columns that a chart draws by the first one, from 0; no chart where there are none.
    axes : (str, str)
        Titles of the chart's axes.
    blocks : int
        Blocks of as many rows, each named in its second column; the chart draws a line for each.
    spare : int
        Rows kept free below, for a program whose arrays do not grow: the table may become longer.
    """

    label: str
    function: str
    arguments: Sequence[str | float | None]
    lines: Sequence[int] = ()
    axes: tuple[str, str] = ("", "")
    blocks: int = 1
    spare: int = 0


@dataclass(frozen=True)
class WhatIf:
    """Results at many values of one input.

    Attributes
    ----------
    label : str
    varied : str
        Key of the input.
    values : sequence of float
    columns : sequence of Result
        Their labels are the headings; their keys are not used.
    lines : sequence of int
        Columns that the chart draws, from 0.
    axes : (str, str)
        Titles of the chart's axes.
    """

    label: str
    varied: str
    values: Sequence[float]
    columns: Sequence[Result]
    lines: Sequence[int]
    axes: tuple[str, str]


@dataclass(frozen=True)
class Plan:
    """A planning sheet.

    Attributes
    ----------
    name : str
        Of its file.
    title, question : str
    inputs, tables, results, spills, what_ifs
    ranges : dict of str to (str, str)
        Names of ranges of inputs, by the first and the last of them.
    assumptions : sequence of str
        What the figures rest on, and how far off they can be.
    """

    name: str
    title: str
    question: str
    inputs: Sequence[Input] = ()
    ranges: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    tables: Sequence[InputTable] = ()
    results: Sequence[Result] = ()
    spills: Sequence[Spill] = ()
    what_ifs: Sequence[WhatIf] = ()
    assumptions: Sequence[str] = ()

    def solved(self) -> list[Result | Spill]:
        """All that worksheet functions give."""
        columns = (column for what_if in self.what_ifs for column in what_if.columns)
        return [*self.results, *self.spills, *columns]


def erlang_response(rate: str, time: str, servers: str) -> str:
    """The mean response time of an M/M/c queue as a plain formula, by the names of its inputs; #NUM! where it is full."""
    load = f"({{{rate}}}*{{{time}}})"
    waits = erlang_c(rate, time, servers)
    return f"IF({load}<{{{servers}}},{{{time}}}+{waits}*{{{time}}}/({{{servers}}}-{load}),10^999)"


def erlang_c(rate: str, time: str, servers: str) -> str:
    """Erlang's C, from his B as a ratio of Poisson probabilities."""
    load = f"({{{rate}}}*{{{time}}})"
    lost = f"POISSON({{{servers}}},{load},FALSE)/POISSON({{{servers}}},{load},TRUE)"
    return f"({lost})/(1-{load}/{{{servers}}}*(1-{lost}))"
