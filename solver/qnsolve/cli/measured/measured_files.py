"""Files of measured intervals, as commands take them: their options, and one table of all."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from qnsolve.cli.terminal import say
from qnsolve.errors import ModelError, suggestion
from qnsolve.measure.intervals.interval_table import LABELS, Intervals
from qnsolve.measure.readers.clocks import Clock
from qnsolve.measure.readers.joining import join
from qnsolve.measure.readers.reading import mapping, read
from qnsolve.measure.readers.source_files import FORMATS, LARGEST

FILES = "measured intervals: CSV, JSON, RMF XML, a printed CPU Activity report; - for standard input"
_SIZES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def add_reading(parser: argparse.ArgumentParser) -> None:
    """The options of every command that reads measurements."""
    parser.add_argument("--format", choices=FORMATS, help="in place of what the content shows")
    text = "what a heading means, as orders.rate=Trans/s, orders.response_time='Avg Resp [ms]', start=When; may be repeated"
    parser.add_argument("--map", action="append", default=[], metavar="NAME.quantity=HEADING", help=text)
    parser.add_argument("--time-unit", metavar="UNIT", help="of times whose heading has none: s, ms, us, ns, min, h")
    parser.add_argument("--decimal", metavar="MARK", help="decimal mark, . or ,")
    parser.add_argument("--thousands", metavar="MARK", help="mark between thousands")
    parser.add_argument("--day-first", action="store_true", default=None, help="read 03/04/2026 as 3 April")
    parser.add_argument("--all", action="store_true", help="keep figures that are not understood, as they were printed")
    parser.add_argument("--from", dest="begin", metavar="TIME", help="first interval: 2026-03-02T09:00")
    parser.add_argument("--to", metavar="TIME", help="intervals that begin before: 2026-03-02T17:00")
    parser.add_argument("--only", metavar="NAME,...", help="series of these classes, regions, LPARs, systems or resources")
    parser.add_argument("--largest", metavar="SIZE", help="largest file that is read, as 512M or 2G")


def add_servers(parser: argparse.ArgumentParser) -> None:
    """The option --servers."""
    text = "servers of a resource that the file does not say, as in cpu=4, or 4 for all; may be given again"
    parser.add_argument("--servers", action="append", default=[], metavar="NAME=COUNT", help=text)


def servers_given(texts: list[str]) -> dict[str, float] | float | None:
    """Servers by resource, or of all, from texts such as "cpu=4" and "4"."""
    found: dict[str, float] = {}
    for text in texts:
        name, equals, count = text.rpartition("=")
        try:
            value = float(count)
        except ValueError:
            raise ModelError("--servers", "must be NAME=COUNT, or one number", "write cpu=4", text) from None
        if not equals and len(texts) == 1:
            return value
        found[name] = value
    return found or None


def measured(files: list[str], options: argparse.Namespace) -> Intervals:
    """The intervals of the files, with the options of `add_reading`.

    Raises
    ------
    ModelError
    """
    given: dict[str, Any] = {"format": options.format, "columns": mapping(options.map), "time_unit": options.time_unit}
    given |= {"decimal": options.decimal, "thousands": options.thousands, "day_first": options.day_first}
    given |= {"keep_all": options.all, "largest": LARGEST if options.largest is None else _size(options.largest)}
    found = join([read(_opened(file), progress=_progress(file), **given) for file in files])
    return _only(_between(found, options.begin, options.to), options.only)


def _opened(file: str) -> Any:
    if file != "-":
        return file
    if sys.stdin is None:
        raise ModelError("standard input", "is closed", "give it a file or a pipe")
    return sys.stdin.buffer


def _size(text: str) -> int:
    number, unit = (text[:-1], text[-1:].upper()) if text[-1:].upper() in _SIZES else (text, "")
    if not number.isdecimal() or not 0 < int(number[:12]) * _SIZES[unit] <= 2**40 or len(number) > 12:
        raise ModelError("--largest", "must be a number of bytes", "write --largest 2G", text)
    return int(number) * _SIZES[unit]


def _between(found: Intervals, begin: str | None, end: str | None) -> Intervals:
    keep = np.ones(len(found), dtype=bool)
    clock = Clock()
    for option, text in (("--from", begin), ("--to", end)):
        if text is None:
            continue
        at = clock.milliseconds(text) if text.strip() else None
        if at is None:
            raise ModelError(option, "must be a date and time", "write 2026-03-02T09:00", text)
        if np.isnat(found.start).all():
            raise ModelError(option, "needs times, and the files have none", "leave it out")
        moment = np.datetime64(at, "ms")
        keep &= (found.start >= moment) if option == "--from" else (found.start < moment)
    if not keep.any():
        raise ModelError("--from, --to", "leave no interval", f"the files have {found.title()}")
    return found if keep.all() else found.rows_where(keep)


def _only(found: Intervals, names: str | None) -> Intervals:
    if names is None:
        return found
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    known = {getattr(each, label): None for each in found.series for label in LABELS if getattr(each, label)}
    known |= {each.title: None for each in found.series}
    for name in wanted:
        if name not in known:
            raise ModelError("--only", "must name what the files have", suggestion(name, known), name)
    kept = [
        i
        for i, each in enumerate(found.series)
        if each.title in wanted or any(getattr(each, label) in wanted for label in LABELS if getattr(each, label))
    ]
    if not kept:
        raise ModelError("--only", "must name a series", "write --only orders,cpu", names)
    return found.series_where(kept)


def _progress(file: str) -> Callable[[int], None]:
    """Says how many rows were read, where a terminal looks on and it takes long."""

    def show(rows: int) -> None:
        say(f"{file}: {rows:,} records")

    return show


def check_output(path: str | None, *inputs: str | None) -> None:
    """Refuse to write over a file that is read.

    Raises
    ------
    ModelError
    """
    if path is not None and any(name and name != "-" and os.path.realpath(name) == os.path.realpath(path) for name in inputs):
        raise ModelError("--output", "must not be a file that is read", "name another one", path)
