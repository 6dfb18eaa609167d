"""Synchronous requests that spin beside QR TCBs: exact chains, and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from scipy import sparse
from scipy.sparse.linalg import spsolve

from benchmarks.system_accuracy import checked
from benchmarks.system_references import load

WHOLE, CPS, USE = 0.0002, 2, 0.7  # of a task, spins included [s]; CPs, and their use
LONGEST = (30, 26)  # tasks at the TCB and at open pieces in the chain
CLOSE, ON_QR = 0.02, 0.07  # of a response time, where open pieces spin and where those on the QR TCB do


def _system(qr: float, open_: float, spin: float, cf_on: str, requests: int) -> zos.System:
    step = zos.Step("R", qr_cpu=qr, open_cpu=open_, cf_requests={"S": requests}, cf_on=cf_on)
    facility = zos.CouplingFacility("CF", processors=64, structures=[zos.Structure("S", service_time=spin / requests)])
    return zos.System(
        lpars=[zos.Lpar("L", processors=CPS)], regions=[zos.CicsRegion("R", lpar="L", mxt=2000)],
        coupling_facilities=[facility], work=[zos.Work("w", rate=USE * CPS / WHOLE, steps=[step])],
    )  # fmt: skip


def _exact(qr: float, open_: float, spin: float, cf_on: str, requests: int) -> float:
    """Response time by the chain of tasks at the TCB, at open pieces, and spinning: these have a CP each, the others share.

    Requests come at any moment of its CPU, each stretch of which is the last with the chance 1/(1 + requests).
    """
    rate, tops = USE * CPS / WHOLE, (*LONGEST, CPS if cf_on == "open" else 1)
    place = np.arange(np.prod(np.add(tops, 1))).reshape(np.add(tops, 1))
    rates = np.zeros((place.size, place.size))
    for (n, o, s), here in np.ndenumerate(place):
        held = cf_on == "qr" and s > 0  # one TCB, whose other tasks stop while it spins
        units = (n > 0 and not held) + o
        share = min(1.0, (CPS - s) / units) if units else 0.0
        at_tcb = share / qr if n > 0 and not held else 0.0
        if cf_on == "qr":
            moves = [((1, 0, 0), rate), ((0, 0, 1), requests * at_tcb), ((-1, 1, 0), at_tcb), ((0, 0, -1), requests * s / spin)]
            moves.append(((0, -1, 0), o * share / open_))
        else:
            moves = [((1, 0, 0), rate), ((-1, 1, 0), at_tcb), ((0, -1, 1), requests * o * share / open_)]
            moves += [((0, 1, -1), requests * s / spin), ((0, -1, 0), o * share / open_)]
        for step, often in moves:
            there = tuple(np.add((n, o, s), step))
            if often > 0 and all(0 <= each <= top for each, top in zip(there, tops, strict=True)):
                rates[here, place[there]] += often
    rates[~rates.any(axis=1), 0] = 1.0  # at the end of the states, where all CPs spin
    matrix = (rates - np.diag(rates.sum(axis=1))).T
    if cf_on == "qr":  # nobody spins at the TCB where nobody is
        matrix[place[0, :, 1], place[0, :, 1]] = -rate
    matrix[0] = 1.0
    chance = np.linalg.solve(matrix, np.eye(1, place.size)[0]).reshape(place.shape)
    count = np.indices(place.shape)
    tasks = count[0] + count[1] + (count[2] if cf_on == "open" else 0)
    return float((chance * tasks).sum()) / rate


@pytest.mark.parametrize("spins", [0.1, 0.25])
@pytest.mark.parametrize("part", [0.2, 0.3])
@pytest.mark.parametrize("requests", [1, 16])
@pytest.mark.parametrize(("cf_on", "close"), [("open", CLOSE), ("qr", ON_QR)])
def test_beside_an_exact_chain(cf_on: str, close: float, requests: int, part: float, spins: float) -> None:
    """One QR TCB on two CPs 70 % busy, a part of the CPU there; the time was off by up to 11 percent."""
    qr, open_, spin = WHOLE * (1 - spins) * part, WHOLE * (1 - spins) * (1 - part), WHOLE * spins
    found = _system(qr, open_, spin, cf_on, requests).solve()["w"].response_time
    assert found == pytest.approx(_exact(qr, open_, spin, cf_on, requests), rel=close)


def _on_one_cp(qr: float, cpu: float, spin: float, requests: int, rates: tuple[float, float]) -> tuple[float, float]:
    """Times at a TCB, and of open tasks that send requests along their CPU: who spins has the only CP alone."""
    shape = (70, 50, 2)
    n, o, s = (its.ravel() for its in np.indices(shape))
    share = np.where(s == 0, 1 / np.maximum((n > 0) + o, 1), 0.0)
    at_open = o * share / cpu
    moves = [
        ((1, 0, 0), rates[0] + 0 * share), ((0, 1, 0), rates[1] + 0 * share), ((-1, 0, 0), (n > 0) * share / qr),
        ((0, -1, 0), at_open), ((0, -1, 1), requests * at_open), ((0, 1, -1), s * requests / spin),
    ]  # fmt: skip
    here, matrix = np.arange(n.size), sparse.csc_matrix((n.size, n.size))
    for step, often in moves:
        to = [its + more for its, more in zip((n, o, s), step, strict=True)]
        inside = np.all([(its >= 0) & (its < top) for its, top in zip(to, shape, strict=True)], axis=0) & (often > 0)
        there = np.ravel_multi_index([its[inside] for its in to], shape)
        column, rate = here[inside], often[inside]
        for row, way in ((there, rate), (column, -rate)):
            matrix += sparse.coo_matrix((way, (row, column)), matrix.shape)
    rest = sorted({*here[1:].tolist()} - {*here[(s == 1) & (o == shape[1] - 1)].tolist()})
    chance = np.append(1.0, spsolve(matrix[rest][:, rest].tocsc(), -matrix[rest][:, [0]].toarray().ravel()))
    number = np.append(0, n[rest]), np.append(0, (o + s)[rest])
    return float(chance @ number[0] / chance.sum()) / rates[0], float(chance @ number[1] / chance.sum()) / rates[1]


@pytest.mark.parametrize(
    ("qr", "cpu", "spin", "requests", "use", "close"),
    [
        (3e-5, 4e-4, 8e-4, 40, (0.3, 0.2), 0.06),  # 21 % too short at the TCB: a spin is as long as a piece there
        (3e-4, 4e-4, 8e-4, 40, (0.3, 0.4), 0.02),
        (1e-3, 1e-4, 2e-4, 10, (0.4, 0.3), 0.02),
    ],
)
def test_on_one_cp(
    qr: float, cpu: float, spin: float, requests: int, use: tuple[float, float], close: float
) -> None:  # fmt: skip
    """A TCB beside open tasks that spin: with each of these it shares the CP as with several that do not."""
    rates = use[0] / qr, use[1] / (cpu + spin)
    facility = zos.CouplingFacility("CF", processors=64, structures=[zos.Structure("S", service_time=spin / requests)])
    steps = [zos.Step("R", qr_cpu=qr), zos.Step("R", open_cpu=cpu, cf_requests={"S": requests}, cf_on="open")]
    works = [zos.Work(f"w{i}", rate=rate, steps=[steps[i]]) for i, rate in enumerate(rates)]
    found = zos.System(
        lpars=[zos.Lpar("L", processors=1)], regions=[zos.CicsRegion("R", lpar="L", mxt=2000)],
        coupling_facilities=[facility], work=works,
    ).solve()  # fmt: skip
    times = [found[f"w{i}"].response_time for i in (0, 1)]
    assert times == pytest.approx(_on_one_cp(qr, cpu, spin, requests, rates), rel=close)


@pytest.mark.parametrize(
    ("salt", "name", "response"),
    [
        (3, "coupling 2", 0.03),
        (5, "coupling 2", 0.04),
        (11, "coupling 3", 0.01),
        (23, "coupling 0", 0.04),  # five TCBs, requests from them and from open pieces
        (18, "coupling 3", 0.08),  # users who fill two CPs with pieces that spin on the TCBs
    ],
)
def test_beside_simulation(salt: int, name: str, response: float) -> None:
    """Systems of the family with coupling facilities."""
    found = checked(load(salt)[name])
    assert found.works, found.reason
    assert found.response < response
