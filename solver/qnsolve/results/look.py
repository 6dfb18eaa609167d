"""How an answer is shown: plain, or with the width and the colours of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

STYLES = {"heading": "1", "full": "31;1", "high": "33", "note": "2"}
NARROWEST = 40  # characters: a terminal that is narrower is taken for one of these


@dataclass(frozen=True)
class Look:
    """How an answer is shown.

    Attributes
    ----------
    width : int or None
        Characters of a line; None where lines may have any length.
    colour : bool
        Whether headings and figures that stand out are coloured.
    each : bool
        Whether equal regions have a row each.
    """

    width: int | None = None
    colour: bool = False
    each: bool = False

    def painted(self, text: str, style: str) -> str:
        """A text in a style of `STYLES`; as it is where there are no colours, or no such style."""
        code = STYLES.get(style) if self.colour and text.strip() else None
        return f"\x1b[{code}m{text}\x1b[0m" if code else text

    def paragraph(self, text: str) -> list[str]:
        """A sentence, in as many lines as the width asks for."""
        if self.width is None:
            return [text]
        return textwrap.wrap(text, max(self.width, NARROWEST), subsequent_indent="  ", break_on_hyphens=False) or [""]

    def fitting(self, columns: Sequence[int], widths: Sequence[int], words: int) -> list[list[int]]:
        """The columns of each part of a table: all in one where they fit, else the words again before the next ones."""
        first = list(columns[:words])
        parts = [first]
        for column in columns[words:]:
            line = [*parts[-1], column]
            if self.width is not None and len(parts[-1]) > words and sum(widths[i] + 2 for i in line) - 2 > self.width:
                parts.append([*first, column])
            else:
                parts[-1] = line
        return parts


PLAIN = Look()
