"""Answers to questions in numbers, kept: asked almost the same again, it is read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import numpy as np

from qnsolve.numerics.series import Array

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


class AlikeAnswers(Generic[Found]):
    """Answers by the numbers that they depend on; the last ones that were found.

    Parameters
    ----------
    most : int
        How many are kept.
    far : float
        Change of the numbers up to which the answer is the same [ratio].

    Examples
    --------
    >>> roots = AlikeAnswers[float](2, 1e-6)
    >>> roots.of([np.array([4.0])], lambda: 2.0)
    2.0
    >>> roots.of([np.array([4.0 + 1e-9])], lambda: 1 / 0)
    2.0
    """

    def __init__(self, most: int, far: float) -> None:
        self._far = far
        self._known: deque[tuple[Sequence[Array], Found]] = deque(maxlen=most)

    def of(self, asked: Sequence[Array], solve: Callable[[], Found]) -> Found:
        """The answer to what is asked, not to be changed: `solve` finds it where it is not known."""
        for numbers, found in reversed(self._known):
            if all(near(some, others, self._far) for some, others in zip(asked, numbers, strict=True)):
                return found
        found = solve()
        self._known.append((asked, found))
        return found
