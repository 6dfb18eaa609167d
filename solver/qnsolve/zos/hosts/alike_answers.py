"""Answers to questions in numbers, kept: asked almost the same again, it is read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np

from qnsolve.numerics.series import Array

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")


def near(some: Array, others: Array, far: float) -> bool:
    """Whether numbers differ by no more than so much [ratio].

    Examples
    --------
    >>> near(np.array([1.0, np.inf]), np.array([1.01, np.inf]), 0.02)
    True
    """
    if some.shape != others.shape:
        return False
    other = some != others  # infinite ones are not
    return bool((np.abs(some[other] - others[other]) <= far * np.abs(others[other])).all())


class AlikeAnswers(Generic[Key, Found]):
    """The last answer for each key, by the numbers that it depends on: also that of another key, asked the same.

    Parameters
    ----------
    far : float
        Change of the numbers up to which the answer is the same [ratio].

    Examples
    --------
    >>> roots = AlikeAnswers[str, float](1e-6)
    >>> roots.of("one", [np.array([4.0])], lambda: 2.0)
    2.0
    >>> roots.of("other", [np.array([4.0 + 1e-9])], lambda: 1 / 0)
    2.0
    """

    def __init__(self, far: float) -> None:
        self._far = far
        self._known: dict[Key, tuple[Sequence[Array], Found]] = {}

    def of(self, key: Key, asked: Sequence[Array], solve: Callable[[], Found]) -> Found:
        """The answer to what is asked, not to be changed: `solve` finds it where it is not known."""
        for known in (self._known.get(key), *self._known.values()):
            if known is not None and all(near(now, then, self._far) for now, then in zip(asked, known[0], strict=True)):
                self._known[key] = known
                return known[1]
        found = solve()
        self._known[key] = asked, found
        return found

    def last(self, key: Key) -> Found | None:
        """The last answer for a key."""
        return self._known[key][1] if key in self._known else None
