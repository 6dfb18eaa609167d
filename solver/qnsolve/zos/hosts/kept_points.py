"""What hosts and zIIPs were found to do, kept: asked the same again, as of a system that is changed elsewhere, it is read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from hashlib import blake2b
from pickle import HIGHEST_PROTOCOL, dumps, loads
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np

from qnsolve.numerics.series import Array

from .alike_answers import near
from .chains.windows import KeptWindows
from .host import Host
from .limited.limited_work import applies, limited_point
from .lines.beyond_share import overloads
from .lines.never_idle import beside_never_idle
from .load import HostPoint, Kept, Known, LineRatios, Load
from .spins import as_cpu, spins, with_spins
from .together import together

HOSTS = 200  # solved hosts that are kept
NEAR = 2e-4  # change of the time elsewhere between visits that moves next to nothing of how they come

STILL = 1e-5  # change of what a host is asked up to which it is not solved again

Found = TypeVar("Found")


class KeptAnswers(Generic[Found]):
    """Answers by all that they depend on; those that were asked for last.

    Examples
    --------
    >>> squares = KeptAnswers[float](2)
    >>> squares.of((np.array([1.0, 2.0]), "sum"), lambda: 5.0)
    5.0
    >>> squares.of((np.array([1.0, 2.0]), "sum"), lambda: 1 / 0)
    5.0
    """

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._known: OrderedDict[bytes, bytes] = OrderedDict()

    def of(self, asked: object, solve: Callable[[], Found]) -> Found:
        """The answer to what is asked, for the caller alone: `solve` finds it where it is not known."""
        key = _digest(asked)
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
        if known is not None:
            again: Found = loads(known)
            return again
        found = solve()
        with self._lock:
            self._known[key] = dumps(found, HIGHEST_PROTOCOL)
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return found


def _digest(value: object) -> bytes:
    return blake2b(b"\0".join(_content(value, [])), digest_size=20).digest()


def _content(value: Any, found: list[bytes], numbers: list[Array] | None = None) -> list[bytes]:
    """All that a value holds, and of what kind it is, after what was found before; floats in `numbers`, if that is a list."""
    if isinstance(value, float) and numbers is not None:
        numbers.append(np.array([value]))
    elif isinstance(value, float | int | str | bytes):
        found.append(repr(value).encode())
    elif isinstance(value, np.ndarray):
        found += (value.dtype.str.encode(), repr(value.shape).encode())
        if numbers is not None and value.dtype.kind == "f":
            numbers.append(value.ravel())
        else:
            found.append(value.tobytes())
    elif isinstance(value, list | tuple):
        found.append(b"%d" % len(value))
        for each in value:
            _content(each, found, numbers)
    elif isinstance(value, dict):
        _content([*value.items()], found, numbers)
    elif isinstance(value, frozenset):
        _content(sorted(value), found, numbers)
    elif (names := _names(value.__class__)) is not None:
        found.append(type(value).__name__.encode())
        for name in names:
            _content(getattr(value, name), found, numbers)
    else:
        found.append(repr(value).encode())
    return found


@cache
def _names(kind: Any) -> tuple[str, ...] | None:
    """The fields of a dataclass; None for another type."""
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else None


@dataclass(frozen=True, eq=False)
class _Solved:
    """A host solved, its effort, and what it keeps from round to round."""

    point: HostPoint
    effort: float
    known: dict[int, Known]
    lines: LineRatios | None
    windows: dict[tuple[int, int], KeptWindows]
    reach: dict[int, float]


_hosts = KeptAnswers[_Solved](HOSTS)


def host_point(load: Load) -> tuple[HostPoint, float]:
    """A host solved, and its effort: how many chains of one group take as long. What it keeps from round to round is noted.

    Asked the same, or next to it, as when it was solved last it is as it was then.
    """
    kept = load.kept
    plain, parts = replace(load, kept=Kept(), round=0, between=np.zeros(0)), [np.zeros(0)]
    kind = b"\0".join(_content(plain, [], parts))
    numbers = np.concatenate(parts)
    same = kept.kind == kind and near(numbers, kept.numbers, STILL) and near(load.between, kept.between, NEAR)
    if kept.point is not None and same:
        return kept.point, 0.0
    asked = kind, numbers

    def solve() -> _Solved:
        spinning = spins(load)
        chains = Host(as_cpu(load) if spinning else load)
        if applies(chains):
            point = limited_point(chains)
        else:
            point = together(chains)
            point = replace(beside_never_idle(chains, point), overloads=overloads(chains, point))
        point = with_spins(load, point) if spinning else point
        return _Solved(point, chains.effort, kept.known, kept.lines, kept.windows, kept.reach)

    solved = _hosts.of((asked, load.between, load.round, kept.known, kept.lines, kept.windows, kept.reach), solve)
    kept.known, kept.lines, kept.windows, kept.reach = solved.known, solved.lines, solved.windows, solved.reach
    kept.kind, kept.numbers, kept.between, kept.point = kind, numbers, load.between, solved.point
    return solved.point, solved.effort
