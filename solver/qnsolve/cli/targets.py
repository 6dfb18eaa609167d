"""The option --target: the response time that a work or a class must keep."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from qnsolve.errors import ModelError
from qnsolve.model.measured_units import pointed, seconds_of


def add_target(parser: argparse.ArgumentParser, kind: str) -> None:
    """The option --target of a command whose targets are of `kind`, "work" or "class"."""
    text = f"response time that this {kind} must keep, as in orders=0.2 in seconds or orders=200ms; may be given again"
    parser.add_argument("--target", action="append", default=[], metavar=f"{kind.upper()}=TIME", help=text)


def targets(words: Sequence[str], kind: str) -> dict[str, float]:
    """Response times by name [s], from words such as "orders=0.2", "orders=0.2s" and "orders=200ms".

    Parameters
    ----------
    words : sequence of str
        As --target has them. Of two words for one name the last one counts.
    kind : str
        What has targets, as an error calls it: "work", "class".

    Returns
    -------
    dict of str to float

    Raises
    ------
    ModelError
        Where a word is no name and time.

    Examples
    --------
    >>> targets(["orders=0.25", "query=200ms"], "work")
    {'orders': 0.25, 'query': 0.2}
    """
    found = {}
    for word in words:
        name, _, time = word.rpartition("=")
        value = seconds_of(time.strip())
        if not name or value is None:
            repair = pointed(word, "write orders=0.2 or orders=200ms")
            raise ModelError("--target", f"must be {kind.upper()}=TIME", repair, word)
        found[name] = value
    return found
