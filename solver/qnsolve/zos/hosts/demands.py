"""What tasks ask of each center at an operating point: needs, stretched by coupling facilities, zIIPs and CPU growth."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Compiled, Pool
from qnsolve.zos.compile.needs import Needs

LITTLE = 0.01  # of the CPU of a task, synchronous requests that are as all else of it


@dataclass
class Around:
    """What work finds around the CPs and TCBs: H hosts, F facilities, K regions.

    Attributes
    ----------
    growth : ndarray (H,)
        CPU time over that with one engine busy.
    facility : ndarray (F, K)
        Time of a request at a facility over its service time, by the region that sends it, in the mean.
    uneven : ndarray (T, F)
        Wait of the requests of a task over their service time, over that of its region.
    ziip, over : ndarray (H,)
        Time at zIIPs over demand; share of the eligible work that goes to CPs.
    late : ndarray (H,)
        Share of the attempts that find all zIIPs taken.
    apart : ndarray (T,)
        Share of the eligible work of a task that goes to CPs, over that of its host: of bursts it is more.
    back : ndarray (H,)
        Time at CPs of eligible work that goes there, over that alone; 0 where none does.
    """

    growth: Array
    facility: Array
    uneven: Array
    ziip: Array
    over: Array
    late: Array
    apart: Array
    back: Array

    def at_facility(self, region: Places) -> Array:
        """Time of the requests of tasks over their service time, given the region of each (T, F)."""
        found: Array = 1 + (self.facility.T[region] - 1) * self.uneven
        return found


@dataclass(frozen=True, eq=False)
class Demands:
    """Seconds of one task, T rows; times at processors without waits for them.

    Attributes
    ----------
    qr, ro, cpu, threads : ndarray (T,)
        On CPs: on the QR TCB, the RO TCB, TCBs of its own, JVM threads; synchronous requests included.
    thread_off : ndarray (T,)
        Time on a JVM thread without CP: at zIIPs, waits for one included.
    ziip : ndarray (T,)
        Time at zIIPs outside JVM threads, waits included.
    ziip_work : ndarray (T,)
        Work done at zIIPs [s of a core with one thread].
    away : ndarray (T,)
        Time without queueing: delays, asynchronous requests.
    qr_spin, open_spin : ndarray (T,)
        Of `qr` and of `cpu`, synchronous requests: units that are ready on the CPs, and take no longer beside others. None
        where they are next to nothing of the CPU of a task: they are as all of it.
    """

    qr: Array
    ro: Array
    cpu: Array
    threads: Array
    thread_off: Array
    ziip: Array
    ziip_work: Array
    away: Array
    qr_spin: Array = field(repr=False)
    open_spin: Array = field(repr=False)

    def near(self, other: Demands, change: float) -> bool:
        """Whether the demands are those of another one but for some relative change."""
        pairs = ((getattr(self, item.name), getattr(other, item.name)) for item in fields(self))
        return all(bool((np.abs(mine - theirs) <= change * np.abs(theirs)).all()) for mine, theirs in pairs)

    @property
    def on_cps(self) -> Array:
        """CPU on CPs (T,)."""
        found: Array = self.qr + self.ro + self.cpu + self.threads
        return found


def demands(form: Compiled, need: Needs, around: Around) -> Demands:
    """Demands of all tasks."""
    host = form.host
    slow = (form.slower * around.growth)[host]
    facility = around.at_facility(form.region)
    over = np.clip(around.over[host] + around.apart, 0.0, 1.0)
    at_ziip = (1 - over) / form.ziip_speed[host]
    back = over * form.overflowed  # CPU on CPs of eligible work, over that work
    longer = around.ziip[host]
    qr_spin = need.qr_fixed + (need.qr_sync * facility).sum(axis=1)
    open_spin = need.open_fixed + (need.open_sync * facility).sum(axis=1)
    qr, ro, cpu = need.qr * slow + qr_spin, need.ro * slow, (need.cpu + need.ziip * back) * slow + open_spin
    threads = (need.threads + need.thread_ziip * back) * slow
    spins = qr_spin + open_spin > LITTLE * (qr + ro + cpu + threads)
    return Demands(
        qr=qr,
        ro=ro,
        cpu=cpu,
        threads=threads,
        thread_off=need.thread_ziip * at_ziip * longer,
        ziip=need.ziip * at_ziip * longer,
        ziip_work=(need.ziip + need.thread_ziip) * at_ziip,
        away=need.delay + (need.other * facility).sum(axis=1),
        qr_spin=np.where(spins, qr_spin, 0.0),
        open_spin=np.where(spins, open_spin, 0.0),
    )


def spin_squares(form: Compiled, need: Needs, ask: Demands, around: Around) -> Array:
    """Squares of the times of synchronous requests, added up over those of a task: at the QR TCB and beside it (2, T) [s²].

    Links take a fixed time, facilities an exponential one; all requests of a task are taken as alike.
    """
    facility, number = around.at_facility(form.region), np.maximum(need.at_facility, LITTLE)
    spins = (ask.qr_spin, need.qr_sync), (ask.open_spin, need.open_sync)
    each = np.maximum(need.at_facility.sum(axis=1), LITTLE)
    return np.array([(spin**2 / each + ((sync * facility) ** 2 / number).sum(axis=1)) * (spin > 0) for spin, sync in spins])


def at_rest(form: Compiled) -> Around:
    """Nothing waits."""
    hosts, facilities, regions = len(form.engines), int((form.pool_kind == Pool.FACILITY).sum()), len(form.system.regions)
    uneven = np.ones((len(form.work), facilities))
    facility, none = np.ones((facilities, regions)), np.zeros(hosts)
    return Around(np.ones(hosts), facility, uneven, np.ones(hosts), none, none.copy(), np.zeros(len(form.work)), none.copy())
