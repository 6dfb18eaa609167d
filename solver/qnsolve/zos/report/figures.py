"""The figures of a solved system, one kind a part, in the terms of RMF and CICS reports."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from qnsolve.zos.parts.system import SystemParts


@dataclass(frozen=True)
class WorkResult:
    """One type of transactions.

    Attributes
    ----------
    name : str
    etr : float
        External throughput rate: transactions completed [1/s].
    response_time : float
        [s]
    cpu : float
        CPU of one transaction on CPs, synchronous requests to coupling facilities included [s].
    ziip_cpu : float
        CPU of one transaction on zIIPs [s].
    admission_wait : float
        Of the response time, wait for MXT, TRANCLASS or dependent regions [s].
    split : dict of center to float
        Response time by center [s].
    response_error : float
        How far `response_time` may be off: 95 of 100 measured errors of systems as full as this one are within [ratio];
        0 where it is exact.
    """

    name: str
    etr: float
    response_time: float
    cpu: float
    ziip_cpu: float
    admission_wait: float
    split: dict[str, float]
    response_error: float = nan


@dataclass(frozen=True)
class LparResult:
    """One LPAR; CPU in percent.

    Attributes
    ----------
    name : str
    engines : float
        CPs [count].
    etr, itr : float
        Transactions of the work that runs here, external and internal rate [1/s]; ITR = ETR / busy.
    cpu_percent : float
        CPs busy [% of the LPAR].
    appl_percent : float
        Their CPU [% of one engine].
    cp_stretch : float
        Time of work at the CPs over its CPU time [ratio].
    ziip_percent : float
        zIIP cores busy [%]; nan without zIIPs, as the next four.
    appl_iip, appl_iipcp : float
        Eligible work on zIIPs, and on CPs [% of one engine].
    thread_density, capacity_factor : float
        Threads at work in a busy core; its work over that of one thread [ratio].
    """

    name: str
    engines: float
    etr: float
    itr: float
    cpu_percent: float
    appl_percent: float
    cp_stretch: float
    ziip_percent: float
    appl_iip: float
    appl_iipcp: float
    thread_density: float
    capacity_factor: float


@dataclass(frozen=True)
class RegionResult:
    """One region.

    Attributes
    ----------
    name, lpar : str
    etr : float
        Tasks completed [1/s].
    appl_percent : float
        Its CPU on CPs [% of one engine].
    qr_percent, qr_cpu_percent : float
        QR TCB dispatched, and using CPU [%]; nan for IMS.
    tasks : float
        Tasks in the region, in the mean [count].
    limit : int
        MXT, or dependent regions [count].
    at_limit_percent : float
        Share of time at the limit [%].
    waiting, waiting_95 : float
        Tasks that wait to be let in, in the mean and not passed 95 % of the time [count].
    fraction_delayed : float
        Share of the tasks that wait [0..1].
    admission_wait : float
        Mean wait of a task for the limit [s].
    """

    name: str
    lpar: str
    etr: float
    appl_percent: float
    qr_percent: float
    qr_cpu_percent: float
    tasks: float
    limit: int
    at_limit_percent: float
    waiting: float
    waiting_95: float
    fraction_delayed: float
    admission_wait: float


@dataclass(frozen=True)
class TranclassResult:
    """One TRANCLASS of a region; as in `RegionResult`."""

    name: str
    region: str
    etr: float
    tasks: float
    limit: int
    at_limit_percent: float
    waiting: float
    waiting_95: float
    fraction_delayed: float
    admission_wait: float


@dataclass(frozen=True)
class StructureResult:
    """The requests of an LPAR to a structure of a coupling facility.

    Attributes
    ----------
    name, facility, lpar : str
    requests : float
        [1/s]
    kind : {"sync", "async"}
    service_time_us : float
        As the host sees it [µs].
    host_percent : float
        CPs that wait for it, or answer it [% of one engine].
    """

    name: str
    facility: str
    lpar: str
    requests: float
    kind: str
    service_time_us: float
    host_percent: float


@dataclass(frozen=True)
class FacilityResult:
    """One coupling facility: engines, requests [1/s], engines busy [%]."""

    name: str
    engines: int
    requests: float
    busy_percent: float


@dataclass(frozen=True)
class LogResult:
    """One log: stripes, MiB written and MiB it can write [1/s], busy [%]."""

    name: str
    stripes: int
    mib_per_second: float
    bandwidth: float
    busy_percent: float


@dataclass(frozen=True)
class DeviceResult:
    """One device: servers (None without queueing), requests under way [count], busy [%]."""

    name: str
    servers: int | None
    in_use: float
    busy_percent: float


@dataclass(frozen=True)
class SystemFigures:
    """All figures of a solved system.

    Attributes
    ----------
    system : SystemParts
    work, lpars, regions, tranclasses, facilities, structures, logs, devices : tuples
        Of WorkResult, LparResult and so on.
    """

    system: SystemParts
    work: tuple[WorkResult, ...]
    lpars: tuple[LparResult, ...]
    regions: tuple[RegionResult, ...]
    tranclasses: tuple[TranclassResult, ...]
    facilities: tuple[FacilityResult, ...]
    structures: tuple[StructureResult, ...]
    logs: tuple[LogResult, ...]
    devices: tuple[DeviceResult, ...]
