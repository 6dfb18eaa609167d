"""Columns that say when and whose: the headings by which each is known."""

from __future__ import annotations

from collections.abc import Iterable

ROLES: dict[str, tuple[str, ...]] = {  # what is no series: the headings by which it is known
    "start": (
        *("start", "begin", "interval start", "start time", "timestamp", "datetime", "date time", "from", "interval begin"),
        *("smf time", "time stamp", "interval start time", "begin time", "local start", "display start", "start timestamp"),
        *("smf72 start", "smf70 start", "interval timestamp", "ts", "epoch"),
    ),
    "end": (
        "end",
        "interval end",
        "end time",
        "stop",
        "to",
        "until",
        "stop time",
        "local end",
        "display end",
        "collection time",
    ),
    "date": ("date", "smf date", "day", "datum", "collection date"),
    "time": ("time", "time of day", "smf time of day", "hour", "uhrzeit", "zeit"),
    "length": (
        "length",
        "interval",
        "int",
        "interval length",
        "duration",
        "interval seconds",
        "smf72int",
        "smf70int",
        "interval duration",
    ),
    "place": ("place",),
    "work": (
        *("class", "service class", "serviceclass", "svcclass", "report class", "class name", "work", "workload", "txn name"),
        *("tran", "transaction", "transaction id", "tran id", "tranid", "trans id", "transid", "request type", "operation"),
        *("endpoint", "url", "framework", "label", "job class", "service class name", "workload name", "work name", "r723mcnm"),
        *("transaction name", "program", "application", "op", "command", "request name", "name", "klasse"),
    ),
    "period": ("period", "service class period", "period number", "class period", "r723cper"),
    "lpar": ("lpar", "partition", "partition name", "lpar name", "image", "smf70lpm", "cpcppnam", "cpchpnam"),
    "region": ("region", "applid", "cics region", "generic applid", "region name", "jobname", "job name", "smfstprn", "mvsid"),
    "system": (
        "system",
        "sysid",
        "sys id",
        "system id",
        "smfid",
        "smf id",
        "system name",
        "host",
        "hostname",
        "smf72sid",
        "sid",
    ),
    "resource": (
        *("resource", "device", "station", "center", "structure", "structure name", "cf name", "cpu type", "proc type"),
        *("coupling facility", "coupling facility name"),
    ),
    "tcb": ("tcb mode", "tcb", "tcb name", "tcb mode name", "mode of tcb", "dsgtcbnm"),
}
_BY_NAME = {name: role for role, names in ROLES.items() for name in names}


def role_of(words: Iterable[str]) -> str:
    """The role of a column with these words as its heading; "" for none.

    >>> role_of(["service", "class"]), role_of(["throughput"])
    ('work', '')
    """
    return _BY_NAME.get(" ".join(words), "")
