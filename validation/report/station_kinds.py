"""Kinds of stations: the report sorts its errors by them."""

from __future__ import annotations

KINDS = (
    "processor",
    "SMT",
    "coupling facility",
    "logger",
    "QR",
    "limits",
    "network",
    "Java",
    "storage and data base",
)
NOTHING = {"SMT": "the documents define its metrics and print no run with and without it"}
_OF = {
    "processor": ("CPs", "AORs", "TOR", "processor capacity", "EXCI", "calls", "change of TCB", "LPAR"),
    "coupling facility": ("coupling facility", "open TCBs"),  # the open TCBs of these runs wait for data tables in one
    "logger": ("log",),
    "QR": ("QR TCB",),
    "limits": ("limits", "terminals", "clients", "RO TCB"),
    "network": ("links and RRS", "network"),
    "Java": ("Java", "zIIPs", "CPs and zIIPs"),
    "storage and data base": ("Db2 reads", "DASD and locks", "buffer pool", "containers on open TCBs"),
}
KIND = {station: kind for kind, stations in _OF.items() for station in stations}
