"""cics-perf sections 5.9, 5.10, 5.12: ladders without routing, of 30 and of 10 AORs, with and without transaction isolation."""

from __future__ import annotations

from functools import partial

from ...case import Case, Missing
from ...models.load_ladder import Ladder, climb

COST = (("CPU of a transaction", "cpu_ms_per_tran", "CPs"),)
AOR = (("AOR CPU", "aor_cpu_pct", "CPs"),)
USED = (("CICS CPU", "cics_cpu_pct", "CPs"),)
DEARER = Missing(
    "CPU of a transaction that grows near the highest rate: web services with large data whose caches other CPs displace",
    "7 to 9 % of the CPU of row 5, after rows of equal cost",
    "cycles per instruction (CPU MF) of rows 4 and 5",
)
MORE = Missing(
    "the saving of fewer AORs, which grows with the load",
    "0.03 ms of 0.54 ms a transaction: 12.3 % saved in row 4, 9.1 % in row 1",
    "cycles per instruction (CPU MF) of both runs at each load; it was sampled at one",
)
DYNAMIC, ISOLATED = ("5-3", "5-4"), ("5-18",)  # the first run, and the last before
DIRECT = Ladder("table-5-8", "line", columns=AOR, rate="aor_etr_tran_per_s")
NONE, MANY, FEW = "DSW, clients on four AORs, no routing", "with 30 AORs", "with 10 AORs"
HIGHER = "What does a transaction cost at higher loads?"
SAVED = "What do fewer AORs save at higher loads?"
OWN = "The line of CPU through the two lowest rows gives the CPU at {more} times the load."
CASES = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=title,
        question=question,
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=text,
        run=partial(climb, Ladder(f"table-{number}", law, None, regions, columns, rate, missing).after(*before)),
    )
    for number, law, before, regions, columns, rate, title, question, text, missing in (
        (
            "5-8",
            "line",
            (),
            4,
            AOR,
            "aor_etr_tran_per_s",
            NONE,
            "What CPU do the AORs take at higher loads?",
            OWN.format(more="2.7"),
            {},
        ),
        (
            "5-11",
            "constant",
            DYNAMIC,
            34,
            COST,
            "etr_tran_per_s",
            f"DSW {MANY}",
            "What does a transaction cost at 16,000 a second?",
            "The line of table 5-3, which ends at 6500 a second, gives the CPU of a transaction up to 15,900 a second. "
            "Nothing is fitted. The CPU column of this table is suspect in print and not used.",
            {},
        ),
        (
            "5-12",
            "ratio",
            DYNAMIC,
            14,
            COST,
            "etr_tran_per_s",
            f"DSW {FEW}",
            SAVED,
            "Fewer AORs save the same share of CPU at every load; the share is from row 1. The cause (fewer cycles per "
            "instruction) is outside a queueing model.",
            {("cpu_ms_per_tran", 4): MORE},
        ),
        (
            "5-14",
            "constant",
            (),
            30,
            USED,
            "etr_tran_per_s",
            f"GENAPP web services {MANY}",
            "What CPU at 2.3 times the load?",
            "Constant CPU of a transaction holds for four rows. The fifth costs 9 % more.",
            {("cics_cpu_pct", 5): DEARER},
        ),
        (
            "5-15",
            "constant",
            (),
            10,
            USED,
            "etr_tran_per_s",
            f"GENAPP web services {FEW}",
            "What CPU at 2.3 times the load?",
            "Constant CPU of a transaction holds for all rows: the fifth costs 5 % more.",
            {},
        ),
        (
            "5-18",
            "line",
            (),
            5,
            COST,
            "etr_tran_per_s",
            "DSW without transaction isolation",
            HIGHER,
            OWN.format(more="2.7"),
            {},
        ),
        (
            "5-19",
            "ratio",
            ISOLATED,
            5,
            COST,
            "etr_tran_per_s",
            "DSW with transaction isolation",
            "What does transaction isolation cost at higher loads?",
            "Transaction isolation costs the same share of CPU at every load; the share is from row 1.",
            {},
        ),
    )
)
