"""Checks of single figures that several functions make; each names the argument."""

from __future__ import annotations

from ..cells import CellError


def share(name: str, value: float) -> float:
    """0 to 1."""
    if not 0 <= value <= 1:
        raise CellError("#NUM!", f"{name} is {value:g}; it must lie within 0 and 1: 0.8 for 80 %")
    return value


def some(name: str, value: float) -> float:
    """0 or more."""
    if value < 0:
        raise CellError("#NUM!", f"{name} is {value:g}; it must be 0 or more")
    return value


def positive(name: str, value: float) -> float:
    """Above 0."""
    if value <= 0:
        raise CellError("#NUM!", f"{name} is {value:g}; it must be above 0")
    return value


def paired(**given: list[float]) -> None:
    """Ranges of which each cell belongs to the cell of the same place in the others."""
    if len({len(cells) for cells in given.values()}) > 1:
        lengths = ", ".join(f"{name} {len(cells)}" for name, cells in given.items())
        raise CellError("#VALUE!", f"ranges of different lengths: {lengths} cells; give one cell of each for a row")
