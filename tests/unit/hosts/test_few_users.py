"""Others on the processors, some of whom are of so many users: as the states one by one say."""

from __future__ import annotations

from itertools import product
from math import comb, factorial

import numpy as np
import pytest
from qnsolve.zos.hosts.others.company import Companies, TaskQueue, company

USERS = ((3, 0.7), (2, 4.0))  # how many, and CPU over time away
QUEUE, PIECES, PROCESSORS = 0.4, 0.5, 2


def _states(y: int) -> list[tuple[float, tuple[int, ...], int]]:
    """Weight, users of each group, and tasks ready, of each state with so many in all."""
    found = []
    for *there, queue in product(*(range(n + 1) for n, _ in USERS), range(y + 1)):
        pieces = y - sum(there) - queue
        if pieces >= 0:
            weight = float(np.prod([comb(n, k) * again**k for (n, again), k in zip(USERS, there, strict=True)]))
            weight *= QUEUE**queue * PIECES**pieces / factorial(pieces)
            found.append((weight, tuple(there), sum(there) + min(queue, 1) + pieces))
    return found


def test_users_beside_a_line_and_pieces() -> None:
    """Two groups of users, a queue of one server and free pieces on two processors."""
    users = [TaskQueue(0.3, n, again=again, place=i) for i, (n, again) in enumerate(USERS)]
    companies = Companies([TaskQueue(QUEUE, 1), *users], PIECES, float(PROCESSORS), 30)
    for found in (companies.without(None), company([*users, TaskQueue(QUEUE, 1)], PIECES, float(PROCESSORS), 30)):
        for y in range(12):
            states = _states(y)
            whole = sum(weight for weight, _, _ in states)
            assert found.ready[y] == pytest.approx(sum(w * ready for w, _, ready in states) / whole, rel=1e-10)
            for i in range(len(USERS)):
                assert found.users[i, y] == pytest.approx(sum(w * there[i] for w, there, _ in states) / whole, rel=1e-10)
            for j in range(PROCESSORS):
                few = sum(w for w, _, ready in states if ready == j) / whole
                assert found.few[y, j] == pytest.approx(few, rel=1e-10, abs=1e-14)


def test_one_group_left_out() -> None:
    """The others keep their places."""
    users = [TaskQueue(0.3, n, again=again, place=i) for i, (n, again) in enumerate(USERS)]
    found = Companies(users, PIECES, float(PROCESSORS), 30).without(0)
    alone = company([users[1]], PIECES, float(PROCESSORS), 30)
    assert found.ready == pytest.approx(alone.ready, rel=1e-10)
    assert found.users[1] == pytest.approx(alone.users[1], rel=1e-10)
    assert not found.users[0].any()


def test_no_more_than_there_are() -> None:
    """Of users alone there are no more than these: what a chain asks for beyond is as with all of them."""
    found = company([TaskQueue(0.9, 3, again=2.0)], 0.0, 2.0, 20)
    assert found.ready[3:] == pytest.approx(np.full(18, 3.0))
    assert found.users[0] == pytest.approx(np.minimum(np.arange(21.0), 3.0))
