"""What unlike kinds of work wait for servers or places, kept: searches begin where the last one of the same pool ended."""

from __future__ import annotations

import numpy as np

from qnsolve.methods.limits.unlike.meeting import Meeting
from qnsolve.methods.limits.unlike.unlike_works import LimitWaits, unlike_waits
from qnsolve.numerics.series import Array
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.alike_answers import AlikeAnswers

ALIKE = 1e-3  # change of what the waits of kinds of work depend on up to which they are not found again [ratio]
EFFORT = 7.0  # of such a chain, over that of one of a TCB

_Kinds = tuple[Array, Array, Array, Array, Array, Array]


class UnlikeAnswers:
    """Answers of `unlike_waits` by pool."""

    def __init__(self, work: Working) -> None:
        self._work, self._known = work, AlikeAnswers[int, LimitWaits](ALIKE)

    def of(
        self, pool: int, capacity: int, kinds: _Kinds, speed: Array | None = None, meeting: Meeting | None = None,
        power: Array | None = None,
    ) -> LimitWaits:  # fmt: skip
        """The waits for a pool; users, rate, away, mean, second, third and all the rest as `unlike_waits` takes them.

        Those of the round before, or of an equal pool, where they depend on the same.
        """
        before = self.last(pool)
        begin = None if before is None else before.search

        def solve() -> LimitWaits:
            self._work.effort += EFFORT
            return unlike_waits(capacity, *kinds, speed, begin, meeting, power)

        met = (np.ones(0), np.ones(0)) if meeting is None else (meeting.pace, meeting.demand)
        optional = (np.ones(0) if its is None else its for its in (speed, power))
        asked = np.array([float(capacity)]), *kinds, *optional, *met
        return self._known.of(pool, asked, solve)

    def last(self, pool: int) -> LimitWaits | None:
        """The last answer for a pool."""
        return self._known.last(pool)
