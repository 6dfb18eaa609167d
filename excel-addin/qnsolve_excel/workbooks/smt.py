"""SMT mode 2 on the zIIPs: capacity gained, response lost, what overflows."""

from __future__ import annotations

from .parts import SHARE, Input, Plan, Result, WhatIf, erlang_response

ONE = ("etr", "ziip_time", "cores", 1.0, 1.0)
TWO = ("etr", "ziip_time", "cores", "threads", "max_factor")
SINGLE = Result(
    "one", "Response time, one thread a core", "ZIIP_RESPONSE", ONE, "s", erlang_response("etr", "ziip_time", "cores")
)
DOUBLE = Result("two", "Response time, all threads", "ZIIP_RESPONSE", TWO, "s")
OVER = ("etr", "ziip_time", "cores", "engines")
SPILLED = Result("over_one", "Overflow to CPs, one thread", "ZIIP_OVERFLOW", (*OVER, 1.0, 1.0, "cp_busy"), "0..1", form=SHARE)
SPILLED_TWO = Result(
    "over_two", "Overflow to CPs, all threads", "ZIIP_OVERFLOW", (*OVER, "threads", "max_factor", "cp_busy"), "0..1", form=SHARE
)

SMT = Plan(
    name="smt",
    title="SMT mode 2 on the zIIPs?",
    question="Two threads share a core: more throughput, slower threads, less overflow to the CPs.",
    inputs=(
        Input("etr", "Transactions with zIIP work", 500, "1/s", least=0),
        Input("ziip_time", "zIIP time of one", 0.006, "s", "RMF: zIIP seconds over transactions, one thread", least=0),
        Input("cores", "zIIP cores", 4, "count", least=1, most=1000, whole=True),
        Input("threads", "Threads of a core", 2, "count", least=1, most=8, whole=True),
        Input("max_factor", "MAX CF", 1.25, "ratio", "RMF, CPU Activity", least=1),
        Input("engines", "CPs", 8, "count", least=1),
        Input("cp_busy", "CPs busy with other work", 0.6, "0..1", least=0, most=0.99),
    ),
    results=(
        Result(
            "busy",
            "zIIP cores needed",
            "LPAR_BUSY",
            ("etr", "ziip_time", "cores"),
            "0..1",
            "{etr}*{ziip_time}/{cores}",
            SHARE,
        ),
        Result(
            "density", "Thread density", "SMT_THREAD_DENSITY", ("etr", "ziip_time", "cores", "max_factor", "threads"), "threads"
        ),
        Result(
            "factor",
            "Capacity factor",
            "SMT_CAPACITY_FACTOR",
            ("density", "max_factor", "threads"),
            "ratio",
            "1+({max_factor}-1)*({density}-1)/({threads}-1)",
        ),
        SINGLE,
        DOUBLE,
        SPILLED,
        SPILLED_TWO,
    ),
    what_ifs=(
        WhatIf(
            "Response time by transactions",
            "etr",
            (50, 100, 200, 300, 400, 500, 550, 600, 640, 700, 750, 800),
            (SINGLE, DOUBLE, SPILLED, SPILLED_TWO),
            (0, 1),
            ("transactions [1/s]", "response time [s]"),
        ),
    ),
    assumptions=(
        "Threads are packed densely: a core gets its second thread before the next core its first. Response times are those "
        "where nothing overflows, overflow that with IIPHONORPRIORITY=YES.",
        "Cores and threads exact for Poisson arrivals; overflow 2.9 % off at most on 24 seeded systems against simulation.",
    ),
)
