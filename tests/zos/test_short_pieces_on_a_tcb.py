"""Pieces on the QR TCB much shorter than those beside them, on full CPs: by the exact chain of both numbers."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from scipy import sparse
from scipy.sparse.linalg import spsolve

CPS, USE, OPEN = 3, 0.96, 0.001  # CPs, their use, and CPU of an open piece [s]
NEVER = 1e-7  # chance of the last numbers that the chain counts


def _exact(rate: float, qr: float, most: tuple[int, int]) -> float:
    """Response time by the chain of tasks at the TCB and open pieces, with an equal share of the CPs each."""
    shape = most[0] + 1, most[1] + 1
    place = np.arange(np.prod(shape)).reshape(shape)
    at_tcb, pieces = np.indices(shape)
    share = np.minimum(1.0, CPS / np.maximum((at_tcb > 0) + pieces, 1))
    moves = [
        (place[:-1], place[1:], np.full(shape, rate)[:-1]),
        (place[1:, :-1], place[:-1, 1:], (share / qr)[1:, :-1]),
        (place[:, 1:], place[:, :-1], (pieces * share / OPEN)[:, 1:]),
    ]
    start, end, often = (np.concatenate([each[part].ravel() for each in moves]) for part in range(3))
    rates = sparse.csr_matrix((often, (end, start)), shape=(place.size, place.size))
    balance = (rates - sparse.diags(np.asarray(rates.sum(axis=0)).ravel())).tocsc()
    chance = np.append(1.0, spsolve(balance[1:, 1:], -balance[1:, [0]].toarray().ravel())).reshape(shape)
    chance /= chance.sum()
    assert max(chance[-1].sum(), chance[:, -1].sum()) < NEVER
    return float((chance * (at_tcb + pieces)).sum()) / rate


@pytest.mark.parametrize(("part", "most"), [(0.1, (500, 70)), (0.03, (400, 160))])
def test_beside_the_exact_chain(part: float, most: tuple[int, int]) -> None:
    """Short pieces are slowed as many others are there, and both numbers move together: the time was up to 54 % too long."""
    rate = USE * CPS / ((1 + part) * OPEN)
    step = zos.Step("R", qr_cpu=part * OPEN, open_cpu=OPEN)
    system = zos.System(
        lpars=[zos.Lpar("L", processors=CPS)], regions=[zos.CicsRegion("R", lpar="L", mxt=2000)],
        work=[zos.Work("w", rate=rate, steps=[step])],
    )  # fmt: skip
    assert system.solve()["w"].response_time == pytest.approx(_exact(rate, part * OPEN, most), rel=0.002)
