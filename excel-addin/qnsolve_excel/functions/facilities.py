"""Coupling facilities and logs; times in seconds."""

from __future__ import annotations

from typing import Annotated

from qnsolve import measure, zos

from ..catalogue import worksheet_function
from ..cells import CellError
from .words import Etr, positive, some

GROUP = "Mainframe"
Requests = Annotated[float, "Requests to the coupling facility in a second."]
CfTime = Annotated[float, "Service time of one request at an engine of the coupling facility, in seconds."]
CfEngines = Annotated[int, "Engines of the coupling facility."]
Latency = Annotated[float, "Time on the link, both ways, of one request, in seconds."]
LogBytes = Annotated[float, "Bytes that one transaction logs."]
Stripes = Annotated[int, "Data sets that the log is spread over."]
Fixed = Annotated[float, "Seconds to write one MiB at any number of stripes: a of a + b/stripes, as QN.FIT_STRIPES finds."]
Striped = Annotated[float, "Further seconds to write one MiB on one stripe: b of a + b/stripes."]


@worksheet_function(GROUP)
def cf_service_time(requests: Requests, service_time: CfTime, engines: CfEngines, latency: Latency = 0) -> float:
    """Response time of a synchronous request: link, wait and service [s].

    Exact for Poisson arrivals from many hosts.

    Examples
    --------
    =QN.CF_SERVICE_TIME(100000,0.000004,2)
    =QN.CF_SERVICE_TIME(300000,0.000004,2,0.00001)
    =QN.CF_SERVICE_TIME(600000,0.000004,2)
    """
    return measure.cf_request_time(requests, service_time, engines, latency)


@worksheet_function(GROUP)
def cf_busy(requests: Requests, service_time: CfTime, engines: CfEngines) -> float:
    """Utilization of the coupling facility's engines [0..1].

    The utilization law; exact.

    Examples
    --------
    =QN.CF_BUSY(100000,0.000004,2)
    =QN.CF_BUSY(0,0.000004,2)
    =QN.CF_BUSY(600000,0.000004,2)
    """
    return measure.cf_busy(requests, service_time, engines)


@worksheet_function(GROUP)
def cf_host_cpu(requests: Requests, service_time: CfTime, engines: CfEngines, latency: Latency = 0) -> float:
    """CPU that hosts spend waiting for synchronous requests, in processors [engines].

    Exact for Poisson arrivals from many hosts: a processor waits as long as its request takes.

    Examples
    --------
    =QN.CF_HOST_CPU(100000,0.000004,2)
    =QN.CF_HOST_CPU(300000,0.000004,2,0.00001)
    =QN.CF_HOST_CPU(300000,0,2)
    """
    return measure.cf_host_cpu(requests, service_time, engines, latency)


@worksheet_function(GROUP)
def logger_limit(stripes: Stripes, fixed: Fixed, striped: Striped) -> float:
    """Bandwidth of a log [MiB/s]; 1 MiB is 2^20 bytes, what IBM's reports print as MB.

    The law a + b/stripes: 0.7 % off at 8 stripes where fitted on 1 and 2 (IMS 12, table 8).

    Examples
    --------
    =QN.LOGGER_LIMIT(1,0.0023,0.0042)
    =QN.LOGGER_LIMIT(8,0.0023,0.0042)
    =QN.LOGGER_LIMIT(0,0.0023,0.0042)
    """
    return _log(stripes, fixed, striped).bandwidth


@worksheet_function(GROUP)
def logger_rate(log_bytes: LogBytes, stripes: Stripes, fixed: Fixed, striped: Striped) -> float:
    """Highest transaction rate of a log [1/s].

    The law a + b/stripes: 3.2 % off in the mean over log sizes (IMS 12, table 8).

    Examples
    --------
    =QN.LOGGER_RATE(25000,1,0.0023,0.0042)
    =QN.LOGGER_RATE(25000,8,0.0023,0.0042)
    =QN.LOGGER_RATE(0,8,0.0023,0.0042)
    """
    return 1 / _log(stripes, fixed, striped).time_of(positive("log_bytes", log_bytes))


@worksheet_function(GROUP)
def logger_busy(etr: Etr, log_bytes: LogBytes, stripes: Stripes, fixed: Fixed, striped: Striped) -> float:
    """Utilization of a log [0..1]; #NUM! where the transactions exceed its bandwidth.

    Examples
    --------
    =QN.LOGGER_BUSY(2000,25000,1,0.0023,0.0042)
    =QN.LOGGER_BUSY(2000,25000,8,0.0023,0.0042)
    =QN.LOGGER_BUSY(20000,25000,1,0.0023,0.0042)
    """
    busy = some("etr", etr) * _log(stripes, fixed, striped).time_of(some("log_bytes", log_bytes))
    if busy > 1:
        raise CellError(
            "#NUM!", f"the log would be {busy:.0%} busy; its highest rate is {etr / busy:.6g} transactions a second"
        )
    return busy


def _log(stripes: int, fixed: float, striped: float) -> zos.Logger:
    return zos.Logger("log", stripes=stripes, seconds_per_mib=(fixed, striped))
