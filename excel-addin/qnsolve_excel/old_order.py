"""Calls of functions of systems as workbooks of before have them: what is asked before coupling facilities, logs, devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .cells import OMITTED

TABLES = 3  # lpars, regions, work: in front in both orders
BESIDE = 3  # coupling facilities, logs, devices


def in_order(given: Sequence[Any], own: int) -> list[Any]:
    """The arguments with the six tables in front.

    Parameters
    ----------
    given : sequence
        Cells and ranges, as the dispatcher gets them.
    own : int
        How many arguments the function has besides the tables.
    """
    found = [*given, *[OMITTED] * (TABLES + BESIDE + own - len(given))]
    if not _old(found, own):
        return list(given)
    return [*found[:TABLES], *found[TABLES + own :], *found[TABLES : TABLES + own]]


def _old(found: Sequence[Any], own: int) -> bool:
    """Whether what is asked stands in fourth place: it is a single cell or numbers, or a table of other headings."""
    beside = found[TABLES : TABLES + BESIDE]
    if any(_given(each) and not _is_table(each) for each in beside):
        return True
    heads = [_headings(each) for each in beside]
    if own == BESIDE:  # of two systems: the work of the second one names regions
        return "regions" in heads[2] or "lpar" in heads[1]
    last = [each for each in found[TABLES + BESIDE :] if _is_table(each)]
    return bool(last) or "processors" in heads[2]  # coupling facilities in sixth place


def _given(cell: Any) -> bool:
    if isinstance(cell, (list, tuple)):
        return any(map(_given, cell))
    return cell is not OMITTED and cell is not None and cell != ""


def _is_table(cells: Any) -> bool:
    """A range with headings: more than one cell, the first a text."""
    rows = cells if isinstance(cells, (list, tuple)) else [[cells]]
    rows = [row if isinstance(row, (list, tuple)) else [row] for row in rows]
    return sum(map(len, rows)) > 1 and isinstance(rows[0][0], str)


def _headings(cells: Any) -> set[str]:
    if not _is_table(cells):
        return set()
    first = cells[0] if isinstance(cells[0], (list, tuple)) else [cells[0]]
    return {str(cell).strip().casefold().replace(" ", "_") for cell in first if isinstance(cell, str)}
