"""Users of unlike work before limits whose tasks are at a QR TCB: what they wait longer than if all were alike."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.alike_answers import AlikeAnswers
from qnsolve.zos.hosts.calls import unlike
from qnsolve.zos.hosts.limited.unlike_users import UnlikeUsers

LEAST = 1e-3  # wait before a limit, over the time at its TCB, from which on it counts
ELSEWHERE = 0.25  # of the places, tasks that are not at the TCB, from which on what is left at it says nothing
SLOWER = 0.5  # what a TCB is slower by the CPs, from which on it is the same
UNLIKE = 0.5  # E S²/(E S)² of what tasks need of a TCB, over 1, from which on all alike is no guide
SAME = 1e-9  # change of what a wait depends on up to which it is the same [ratio]
SHORT = 1e-12  # time that counts [s]
FARTHEST = 3.0  # times as long as a wait at rates is at most


class UsersAtTcbs:
    """All such limits, and what was found: of equal ones once."""

    def __init__(self, work: Working) -> None:
        self.work = work
        self.known = AlikeAnswers[int, float](SAME)

    def longer(
        self, tcb: int, tasks: Places, size: int, wait: Array, come: tuple[Array, Array] | None = None
    ) -> tuple[float, float]:
        """A wait before a limit over that of tasks all alike: it leaves the work at the TCB that users let come.

        Parameters
        ----------
        tcb : int
            The QR TCB of the limit.
        tasks : ndarray of int (n,)
            Those of the limit.
        size : int
            Its places.
        wait : ndarray (n,)
            Waits before the limit [s].
        come : (ndarray (n,), ndarray (n,)), optional
            Users from whom each task comes, 0 of a stream, and the time that one of them is elsewhere [s]; left out, all of its
            work.

        Returns
        -------
        float
            1 at least.
        float
            How much it is known [0..1]: not where tasks are elsewhere inside, come in groups, or the CPs make the TCB slow.
        """
        work = self.work
        flow, at, service = work.flow[tasks], work.at_group[tcb][tasks], work.service[tcb]
        length = work.ask.qr[tasks] * service
        if not float(flow @ wait) > LEAST * float(flow @ at) or work.form.in_groups[work.form.work[tasks]].any():
            return 1.0, 0.0
        mixed = unlike(flow, length)
        elsewhere = float(flow @ np.maximum(work.holds()[tasks] - at, 0.0))
        known = max(1 - elsewhere / (ELSEWHERE * size) - (service - 1) / SLOWER, 0.0) * min((mixed - 1) / UNLIKE, 1.0)
        if known <= 0:
            return 1.0, 0.0
        if come is None:
            mine = work.form.work[tasks]
            gone = work.cycle[mine] / np.maximum(work.form.visits[tasks], SHORT) - at - wait
            come = work.form.users[mine], np.maximum(gone, work.form.think[mine])
        some, (users, gone) = flow > 0, come
        kinds = users[some], np.maximum(gone, SHORT)[some], flow[some], at[some], length[some], wait[some]
        places = max(size - elsewhere, 1.0)

        def solve() -> float:
            return UnlikeUsers(*kinds, places).longer(FARTHEST * mixed)

        return self.known.of(tcb, [*kinds, np.array([places])], solve), known
