"""What one task takes at each center at an operating point."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from qnsolve.zos.compile.tasks import Layout, has_threads
from qnsolve.zos.parts.facilities import Structure
from qnsolve.zos.parts.regions import CicsRegion

from .state import State

Requests = dict[tuple[int, str], float]  # facility and structure: requests


@dataclass(frozen=True)
class Times:
    """One task, in seconds of one visit.

    Attributes
    ----------
    qr, ro, threads : float
        Time that it holds the QR TCB, the RO TCB, a thread of a limited JVM server; waits for a CP included.
    beside : float
        Time on other TCBs, and for CPU outside the region; waits for a CP included.
    delay : float
        Time without CPU and without queueing.
    qr_cpu, ro_cpu, other_cpu, ziip_cpu : float
        Work asked of CPs by the QR TCB, by the RO TCB and by others, and of zIIPs (in cores of one
        thread); waits for synchronous requests included, `spin` of it.
    system_cpu : float
        Of `other_cpu`, what is outside the region.
    sync, asynchronous : dict
        Requests to coupling facilities.
    """

    qr: float
    ro: float
    threads: float
    beside: float
    delay: float
    qr_cpu: float
    ro_cpu: float
    other_cpu: float
    ziip_cpu: float
    spin: float
    system_cpu: float
    sync: Requests
    asynchronous: Requests

    @property
    def cpu(self) -> float:
        """CPU on CPs [s]."""
        return self.qr_cpu + self.ro_cpu + self.other_cpu


def sync_time(layout: Layout, state: State, place: int, structure: Structure, region: int) -> float:
    """Synchronous service time of one request, as the host sees it [s]."""
    facility = layout.system.coupling_facilities[place]
    return float(facility.link.latency + structure.service_time * state["cf"][place, region])


def task_times(layout: Layout, state: State, place_of: int) -> Times:
    """What one task takes."""
    task = layout.tasks[place_of]
    step, lpar, region = task.step, layout.lpar_of(task), layout.region_of(task)
    cics = isinstance(region, CicsRegion)
    slower = (1 + lpar.processors.growth * log(max(state["busy"][task.lpar], 1.0))) / lpar.processors.speed
    spin = waits = answering = 0.0
    sync: Requests = {}
    asynchronous: Requests = {}
    for place, facility, structure, count in layout.requests(task):
        time = sync_time(layout, state, place, structure, task.region)
        if (place, structure.name, task.lpar) in state.converted:
            asynchronous[place, structure.name] = count
            answering += count * facility.async_cpu
            waits += count * (time + facility.async_delay)
        else:
            sync[place, structure.name] = count
            spin += count * time
    on_qr = cics and step.requests_from == "qr"
    switches = step.change_modes * lpar.change_mode_cpu
    to_qr = (1.0 if step.open_cpu + step.jvm_cpu == 0 else 0.5) if cics else 0.0  # a switch has two sides
    qr_cpu = (step.qr_cpu + switches * to_qr + on_qr * answering) * slower + on_qr * spin
    other_cpu = (step.system_cpu + switches * (1 - to_qr) + (not on_qr) * answering) * slower + (not on_qr) * spin
    stretch = state.beside_stretch(place_of)
    on_ziip = step.ziip_share * min(max(2 - float(state["overflow"][task.lpar]), 0.0), 1.0) if lpar.ziips else 0.0
    ziip_speed = lpar.ziips.speed if lpar.ziips else 1.0
    over = (step.ziip_share - on_ziip) * max(stretch * float(state["over"][task.lpar]), 1.0) if lpar.ziips else 0.0
    each = ((1 - (step.ziip_share if lpar.ziips else 0.0)) * stretch + over) * slower + on_ziip / ziip_speed * float(
        state["ziip"][task.lpar]
    )
    limited = has_threads(region)
    open_cpu = step.open_cpu + step.cpu
    on_tcbs = open_cpu + step.jvm_cpu
    return Times(
        qr=qr_cpu * float(state["cpu"][state.tcb(task.lpar, task.region, "qr")]) if cics else 0.0,
        ro=step.ro_cpu * slower * float(state["cpu"][state.tcb(task.lpar, task.region, "ro")]) if cics else 0.0,
        threads=step.jvm_cpu * each if limited else 0.0,
        beside=(open_cpu if limited else on_tcbs) * each + other_cpu * stretch,
        delay=step.delay + waits + step.change_modes * lpar.change_mode_wait,
        qr_cpu=qr_cpu,
        ro_cpu=step.ro_cpu * slower,
        other_cpu=on_tcbs * (1 - on_ziip) * slower + other_cpu,
        ziip_cpu=on_tcbs * on_ziip / ziip_speed,
        spin=spin,
        system_cpu=step.system_cpu * slower,
        sync=sync,
        asynchronous=asynchronous,
    )
