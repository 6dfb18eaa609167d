"""A line in order of arrival to which tasks come several times one after the other: requests of a facility, pieces of a TCB."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, Places

NEARLY, TURNS = 0.999, 4  # load of a line that has an end, and how often it is told which requests of a row are met
FULLEST = 0.95  # load of a facility up to which its line is as that of one that is not full


@dataclass(frozen=True)
class RowsInLine:
    """What senders of requests ask of one facility, or tasks of pieces of a TCB: each row a sender, its requests one by one.

    Attributes
    ----------
    rate : ndarray (C,)
        Rows of requests that each sender begins, over the servers of the facility [1/s].
    size : ndarray (C,)
        Service time of a request [s].
    number : ndarray (C,)
        Requests in a row.
    apart : ndarray (C,)
        From the end of a request to the next one of the row [s].
    held : ndarray of int (C,)
        TCB that sends one request at a time, so that none waits for another of its own; below 0 where there is none.
    mates : ndarray (C, C), optional
        Rows of each sender that begin together with one of another, itself not counted.
    """

    rate: Array
    size: Array
    number: Array
    apart: Array
    held: Places
    mates: Array | None = None

    def waits(self) -> Array:
        """Time that the requests of a row wait in all, of senders that come in groups (C,) [s]."""
        load, count = float(self.rate @ (self.number * self.size)), len(self.rate)
        rate, left = self.rate * min(1.0, NEARLY / load), None
        for _ in range(TURNS):
            each = self._each(np.ones((count, count)), rate, left)  # (K, C, C + 2)
            rows = each.sum(axis=0)
            alone = rows[:, -2] + rows[:, -1]
            there = np.linalg.solve(np.eye(count) - rate[:, None] * rows[:, :-2], rate * alone)
            times = each @ np.append(there, (1.0, 1.0))  # of each request
            left = np.array([self._left(times, k) for k in range(len(times) + 1)]) / times.sum(axis=0)
        return np.asarray(times.sum(axis=0) - self.number * self.size)

    def _left(self, times: Array, further: int) -> Array:
        """Time of a row in those of its requests (K, C) after which there are so many more, at least (C,)."""
        place = np.arange(len(times))[:, None] + further
        return np.asarray((times * np.clip(self.number - place, 0.0, 1.0)).sum(axis=0))

    def waits_over_shared(self) -> Array:
        """Waits over service times, over those of a server that all requests share (C,).

        The first request of a row waits for all that are there. The next comes to the end of the line: it waits for those
        that came meanwhile, and for those before it that had another one to send. So a row of short requests waits for
        a long one once, and senders of many take turns.
        """
        meets = np.where((self.held[:, None] == self.held) & (self.held >= 0), 0.0, 1.0)
        load = self.rate * self.number * self.size
        most = float((meets @ load).max())
        rate = self.rate * (FULLEST / max(most, FULLEST))
        load = rate * self.number * self.size
        rows = self._each(meets, rate).sum(axis=0)
        there = np.linalg.solve(np.eye(len(load)) - rate[:, None] * rows[:, :-2], rate * rows[:, -2])
        waits = rows[:, :-1] @ np.append(there, 1.0) / (self.number * self.size) - 1
        ahead = np.linalg.solve(np.eye(len(load)) - meets * load, meets @ load)
        found: Array = np.where(ahead > 0, waits / np.where(ahead > 0, ahead, 1.0), 1.0)
        return found

    def _each(self, meets: Array, rate: Array, left: Array | None = None) -> Array:
        """Time of each request of a row by sender: for each request that is there, and where none is (K, C, C + 2).

        The last is what the rows add that begin together with it. `left` are the chances that a row that is met has 0, 1, …
        more requests, at least (K + 1, C); where left out, each of its requests is met as often.
        """
        work = meets * self.size
        together = np.zeros_like(work) if self.mates is None else work * self.mates
        load = rate * self.number * self.size
        idle = 1 - min(float(load.sum()), FULLEST)
        beside = self.size / (self.size + idle * self.apart)  # of its mates, those who are there when all else is another
        calm = float(self.size @ load) / float(load.sum()) / idle**2  # until a line is as it is in the mean
        same = np.exp(-self.apart / calm)[:, None]
        stay, fresh = np.ones_like(work), np.zeros_like(work)  # of what a row met first, the part that is ahead of this one
        most = int(np.ceil(self.number.max()))
        left = np.maximum(1 - np.arange(most + 1)[:, None] / self.number, 0.0) if left is None else left
        times = np.empty((most, len(rate), len(rate) + 2))  # of each request of a row
        kept = np.empty((most, len(rate)))  # work that comes to the line while it is as long, as far as it is still there
        for k in range(most):
            behind = np.clip(self.number - k + 1, 0.0, 1.0) if k else np.zeros(len(rate))  # half of the others come after it
            near = same**k + (1 - same**k) * beside
            mates = (together * near) @ ((np.clip(self.number - k, 0.0, 1.0) + behind) / 2)
            first = np.column_stack([work * stay, self.size, mates])
            times[k] = np.concatenate([first[None], kept[:k][::-1, :, None] * times[:k]]).sum(axis=0)
            kept[k] = same[:, 0] ** (k + 1) * (work @ (rate * np.clip(self.number - k, 0.0, 1.0)))
            fresh += (1 - same) * same**k * left[k]
            stay = fresh + same ** (k + 1) * left[k + 1]
        return np.asarray(times * np.clip(self.number - np.arange(most)[:, None], 0.0, 1.0)[:, :, None])
