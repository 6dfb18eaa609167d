"""What a measured series can be, and its unit; the one list for readers, checks and fits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """One kind of measured figure.

    Attributes
    ----------
    name : str
    unit : str
        Unit of its values in a table: times in seconds, rates per second, shares from 0 to 1.
    of : {"work", "resource"}
        Whether its name is that of a class of work, or of a processor, a region, a device.
    meaning : str
    """

    name: str
    unit: str
    of: str
    meaning: str


PERCENTILES = {"response_p50": 0.5, "response_p90": 0.9, "response_p95": 0.95, "response_p99": 0.99}  # and their shares
_ALL = (
    Quantity("rate", "1/s", "work", "jobs ended in a second"),
    Quantity("count", "jobs", "work", "jobs ended in the interval"),
    Quantity("response_time", "s", "work", "mean time in the system of the jobs that ended, without think time"),
    Quantity("response_deviation", "s", "work", "standard deviation of the response time of a job"),
    Quantity("response_p50", "s", "work", "median response time"),
    Quantity("response_p90", "s", "work", "90th percentile of the response time"),
    Quantity("response_p95", "s", "work", "95th percentile of the response time"),
    Quantity("response_p99", "s", "work", "99th percentile of the response time"),
    Quantity("wait", "s", "work", "mean time a job waited before it was let in: at MXT, a TRANCLASS, for a thread"),
    Quantity("in_system", "jobs", "work", "mean number of jobs inside"),
    Quantity("users", "jobs", "work", "users, connections or clients that go round: the load"),
    Quantity("think_time", "s", "work", "mean time of a user between response and next request"),
    Quantity("used", "servers", "work", "processors that the work keeps busy: CPU seconds a second, APPL % / 100"),
    Quantity("used_ziip", "servers", "work", "zIIPs that the work keeps busy: APPL % IIP / 100"),
    Quantity("used_overflow", "servers", "work", "CPs that work of zIIPs keeps busy: APPL % IIPCP / 100"),
    Quantity("cpu_time", "s", "work", "CPU time of a job"),
    Quantity("busy", "1", "resource", "utilization of each server"),
    Quantity("servers", "servers", "resource", "processors, threads, stripes that work at once"),
    Quantity("queue_length", "jobs", "resource", "mean number of jobs waiting and in service"),
    Quantity("service_time", "s", "resource", "mean time of a request at the resource, without waiting"),
    Quantity("requests", "1/s", "resource", "requests in a second"),
    Quantity("bytes", "bytes/s", "resource", "bytes in a second"),
    Quantity("weight", "1", "resource", "PR/SM weight of an LPAR"),
    Quantity("msu", "MSU", "resource", "million service units an hour"),
    Quantity("capped", "1", "resource", "share of the interval in which WLM capped the LPAR"),
    Quantity("limit", "jobs", "resource", "jobs that a limit lets in: MXT, MAXACTIVE, THREADLIMIT"),
    Quantity("at_limit", "1", "resource", "times the limit was met, or share of the interval at it"),
    Quantity("figure", "", "resource", "any other figure, kept as it was printed"),
)
QUANTITIES: dict[str, Quantity] = {each.name: each for each in _ALL}
