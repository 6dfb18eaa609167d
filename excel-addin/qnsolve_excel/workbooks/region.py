"""A CICS region: its QR TCB, MXT, a transaction class, and how much more work it holds."""

from __future__ import annotations

from .parts import SHARE, WHOLE, Input, InputTable, Plan, Result, Spill, WhatIf, erlang_c

TABLES = ("lpars", "regions", "work")
BESIDE = (None, None, "devices")
RESPONSE = ("etr", "qr_cpu", "other_time")
AFTER = "{other_time}+{qr_cpu}/(1-{etr}*{qr_cpu})"
DELAYED = erlang_c("etr", "inside", "mxt")

REGION = Plan(
    name="cics-region",
    title="Is this region large enough for next year's load?",
    question="A region has one QR TCB and a limit of MXT tasks; a transaction class in it has its own limit.",
    inputs=(
        Input("etr", "Transactions", 900, "1/s", "all of the region", least=0),
        Input("qr_cpu", "QR TCB time of one", 0.0008, "s", "CICS PA: QR dispatch time", least=0),
        Input("other_time", "Rest of its response time", 0.045, "s", "Db2, open TCBs, other regions", least=0),
        Input("mxt", "MXT", 120, "count", least=10, most=2000, whole=True),
        Input("wait", "Allowed admission wait at MXT", 0.001, "s", least=0),
        Input("class_etr", "Transactions of the class", 100, "1/s", least=0),
        Input("class_time", "Their response time without waits", 0.2, "s", least=0),
        Input("class_limit", "MAXACTIVE of the class", 28, "count", least=1, whole=True),
        Input("aor", "Region", "AOR1", "", "as in the tables below"),
        Input("qr", "Figure of it", "qr percent", "", "as QN.SYSTEM lists them"),
        Input("first", "Work", "orders", "", "as in the tables below"),
        Input("response", "Figure of it", "response time", "", "as QN.SYSTEM lists them"),
    ),
    tables=(
        InputTable("lpars", "LPARs", [["name", "processors", "fixed_cpu"], ["PROD", 8, 0.3]]),
        InputTable("regions", "Regions", [["name", "lpar", "mxt", "tranclass JSON"], ["AOR1", "PROD", 120, 28]]),
        InputTable(
            "work",
            "Work",
            [
                ["name", "rate", "regions", "qr_cpu", "open_cpu", "tranclass", "delay", "device Db2"],
                ["orders", 800, "AOR1", 0.0008, 0.0006, None, None, 0.045],
                ["json", 100, "AOR1", 0.0008, 0.004, "JSON", 0.15, None],
            ],
        ),
        InputTable("factors", "Growth factors", [[1, 1.1, 1.2, 1.3, 1.4]], spare=0, headed=False),
        InputTable("devices", "Devices", [["name", "servers"], ["Db2", None]], spare=1),
    ),
    results=(
        Result("most", "Highest rate of the QR TCB", "QR_LIMIT", ("qr_cpu",), "1/s", "1/{qr_cpu}", "0.0"),
        Result(
            "inside", "Response time within MXT", "QR_RESPONSE", RESPONSE, "s", AFTER, note="QR TCB alone, Poisson arrivals"
        ),
        Result("delayed", "Fraction delayed at MXT", "MXT_DELAYED", ("etr", "inside", "mxt"), "0..1", DELAYED, SHARE),
        Result(
            "mxt_wait",
            "Mean admission wait at MXT",
            "MXT_WAIT",
            ("etr", "inside", "mxt"),
            "s",
            "{delayed}*{inside}/({mxt}-{etr}*{inside})",
            "0.000000",
        ),
        Result("needed", "Smallest MXT for the allowed wait", "MXT_NEEDED", ("etr", "inside", "wait"), "count", form=WHOLE),
        Result(
            "class_wait",
            "Mean admission wait of the class",
            "TRANCLASS_WAIT",
            ("class_etr", "class_time", "class_limit"),
            "s",
            form="0.000000",
        ),
        Result(
            "orders",
            "Response time of orders, whole system",
            "SYSTEM_FIGURE",
            (*TABLES, *BESIDE, "first", "response"),
            "s",
            note="from the tables: all queues and limits together",
        ),
        Result("qr_busy", "QR TCB dispatched, whole system", "SYSTEM_FIGURE", (*TABLES, *BESIDE, "aor", "qr"), "%", form="0.0"),
        Result(
            "holds",
            "Headroom: all work can grow by the factor",
            "HEADROOM",
            (*TABLES, *BESIDE),
            "times",
            form="0.00",
        ),
    ),
    spills=(Spill("The system at growing load, times in seconds", "GROWTH", (*TABLES, *BESIDE, "factors")),),
    what_ifs=(
        WhatIf(
            "Response time by transactions",
            "etr",
            (100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1150, 1200, 1225),
            (
                Result("", "response time", "QR_RESPONSE", RESPONSE, "s", "IF({etr}*{qr_cpu}<1," + AFTER + ",10^999)"),
                Result(
                    "",
                    "of it at the QR TCB, wait included",
                    "QR_RESPONSE",
                    ("etr", "qr_cpu"),
                    "s",
                    "IF({etr}*{qr_cpu}<1,{qr_cpu}/(1-{etr}*{qr_cpu}),10^999)",
                ),
            ),
            (0, 1),
            ("transactions [1/s]", "response time [s]"),
        ),
    ),
    assumptions=(
        "The upper results take the QR TCB as one server with Poisson arrivals, and MXT as servers: exact for that.",
        "The system results solve processors, TCBs, limits and devices together; with rates 1.5 % off at most, measured on "
        "seeded systems against simulation. QN.WHY says what each figure rests on.",
    ),
)
