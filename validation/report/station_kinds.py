"""Kinds of centers: the report sorts its errors by them."""

from __future__ import annotations

KINDS = (
    "processor",
    "SMT",
    "coupling facility",
    "logger",
    "QR",
    "limits",
    "terminals",
    "network",
    "Java",
    "storage and data base",
)
NOTHING = {
    "SMT": "the documents define its metrics and print no run with and without it",
    "limits": "no case predicts a wait for one; cics-perf-7-3 has what completes at one",
}
_OF = {
    "processor": ("CPs", "AORs", "TOR", "processor capacity", "EXCI", "calls", "change of TCB", "LPAR", "open TCBs"),
    "coupling facility": ("coupling facility",),
    "logger": ("log",),
    "QR": ("QR TCB", "RO TCB"),
    "limits": ("limits",),
    "terminals": ("terminals", "clients"),
    "network": ("links and RRS", "network"),
    "Java": ("Java", "zIIPs", "CPs and zIIPs"),
    "storage and data base": ("Db2 reads", "DASD and locks", "buffer pool", "group buffer pool", "containers on open TCBs"),
}
KIND = {station: kind for kind, stations in _OF.items() for station in stations}
