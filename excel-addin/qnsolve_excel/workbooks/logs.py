"""A log: the speed at any number of stripes, from two measurements."""

from __future__ import annotations

from .parts import SHARE, Input, Plan, Result, WhatIf

MEASURED = ("measured_stripes", "measured_rates")
LAW = ("stripes", "fixed", "striped")
SECONDS = "({fixed}+{striped}/{stripes})"
LIMIT = Result("limit", "Bandwidth of the log", "LOGGER_LIMIT", LAW, "MiB/s", f"1/{SECONDS}", "0.0")
RATE = Result(
    "rate", "Highest transaction rate", "LOGGER_RATE", ("log_bytes", *LAW), "1/s", f"1048576/{{log_bytes}}/{SECONDS}", "0"
)

LOGGER = Plan(
    name="logger",
    title="How many stripes does the log need?",
    question="A full log was measured with two numbers of stripes; what can others write, at this size of log records?",
    inputs=(
        Input("stripes_1", "Stripes, first measurement", 1, "count", least=1, whole=True),
        Input("stripes_2", "Stripes, second measurement", 2, "count", least=1, whole=True),
        Input("rate_1", "Written, first measurement", 154, "MiB/s", "IMS 12, 74 KB a transaction", least=0),
        Input("rate_2", "Written, second measurement", 228, "MiB/s", least=0),
        Input("stripes", "Stripes to plan with", 8, "count", least=1, most=1000, whole=True),
        Input("log_bytes", "Logged by one transaction", 75776, "bytes", least=1),
        Input("etr", "Transactions", 3000, "1/s", least=0),
    ),
    ranges={"measured_stripes": ("stripes_1", "stripes_2"), "measured_rates": ("rate_1", "rate_2")},
    results=(
        Result(
            "fixed",
            "Time of one MiB at any number of stripes, a",
            "FIT_STRIPES",
            MEASURED,
            "s",
            "1/{rate_1}-(1/{rate_1}-1/{rate_2})/(1/{stripes_1}-1/{stripes_2})/{stripes_1}",
            "0.000000",
            part=(1, 1),
        ),
        Result(
            "striped",
            "Further time of one MiB on one stripe, b",
            "FIT_STRIPES",
            MEASURED,
            "s",
            "(1/{rate_1}-1/{rate_2})/(1/{stripes_1}-1/{stripes_2})",
            "0.000000",
            part=(1, 2),
        ),
        LIMIT,
        RATE,
        Result(
            "busy",
            "Log busy",
            "LOGGER_BUSY",
            ("etr", "log_bytes", *LAW),
            "0..1",
            f"{{etr}}*{{log_bytes}}/1048576*{SECONDS}",
            SHARE,
        ),
    ),
    what_ifs=(
        WhatIf(
            "Transactions by stripes",
            "stripes",
            (1, 2, 3, 4, 6, 8, 12, 16),
            (LIMIT, RATE),
            (1,),
            ("stripes", "transactions [1/s]"),
        ),
    ),
    assumptions=(
        "A log is a channel: one MiB takes a + b/stripes seconds. From 1 and 2 stripes, 8 come out 0.7 % off "
        "(IMS 12, table 8); other sizes of log records 3.2 % in the mean, 6.9 % at most.",
        "1 MiB is 2^20 bytes, what IBM's reports print as MB.",
    ),
)
