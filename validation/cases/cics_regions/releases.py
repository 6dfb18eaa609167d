"""cics-perf chapters 6 to 9: load ladders of COBOL work, a release from the one before."""

from __future__ import annotations

from functools import partial

from ...case import Case, Missing
from ...models.load_ladder import Ladder, climb

TOLERANCE = 0.05
REASON = "a capacity plan is held to 5 %"
RELEASE_REASON = "a capacity plan is held to 5 %; the same workload measured twice differs by 3 %"
OWN = "Constant CPU of a transaction, from the lowest row alone, gives the CPU at {more} times the load."
MACHINE = (
    "Part of the CPU of terminal work in several regions does not grow with the load. The line of the first run on the machine "
    "before, times one ratio from row 1, gives the CPU at {more} times the load: the ratio of the machines is that of both "
    "parts."
)
AGAIN = "The law of the first run on the machine gives this one: it costs the same CPU at every load. Nothing is fitted."
TWICE = (
    "The same workload as in table 9-2, measured once more for another section: the two runs differ by 3 %. The law of table "
    "9-1 is 1 % above this one and 4 % above the other."
)
NEAR_FULL = Missing(
    "CPU of a transaction that grows near the highest rate",
    "3 % between rows 4 and 5, in both releases; the line of the machine before has it fall by another 3 %",
    "cycles per instruction (CPU MF) of rows 4 and 5",
)
HTTP = "DSW over HTTP, z13"
STATIC12, STATIC13, STATIC14 = (f"DSW with static routing, {m}" for m in ("zEC12", "z13", "z14"))
DYNAMIC12, DYNAMIC13 = (f"DSW with dynamic routing, {m}" for m in ("zEC12", "z13"))
RTW12, RTW13, RTW14 = (f"RTW, threadsafe, {m}" for m in ("zEC12", "z13", "z14"))
# table, the first run (its law) and the last before, whether times the ratio of row 1, regions, title, release, range of load
LADDERS: tuple[tuple[str, str, bool, int, str, str, str | None], ...] = (
    ("6-1", "5-1", True, 5, STATIC12, "V5.1", "2.3"),
    ("6-2", "6-1", False, 5, STATIC12, "V5.2", None),
    ("6-3", "5-3", True, 34, DYNAMIC12, "V5.1", "5.4"),
    ("6-4", "6-3", False, 34, DYNAMIC12, "V5.2", None),
    ("6-7", "", False, 4, RTW12, "V5.1", "3.7"),
    ("6-8", "6-7", False, 4, RTW12, "V5.2", None),
    ("7-1", "", False, 4, RTW13, "V5.2", "3.7"),
    ("7-2", "7-1", False, 4, RTW13, "V5.3", None),
    ("8-1", "6-1", True, 5, STATIC13, "V5.3", "1.6"),
    ("8-2", "8-1", False, 5, STATIC13, "V5.4", None),
    ("8-3", "6-3", True, 34, DYNAMIC13, "V5.3", "3.5"),
    ("8-4", "8-3", False, 34, DYNAMIC13, "V5.4", None),
    ("8-5", "", False, 5, HTTP, "V5.3", "1.6"),
    ("8-6", "8-5", False, 5, HTTP, "V5.4", None),
    ("8-7", "", False, 4, RTW13, "V5.3", "3.7"),
    ("8-8", "8-7", False, 4, RTW13, "V5.4", None),
    ("9-1", "8-1", True, 5, STATIC14, "V5.4", "1.7"),
    ("9-2", "9-1", False, 5, STATIC14, "V5.5", None),
    ("9-7", "", False, 4, RTW14, "V5.4", "3.4"),
    ("9-8", "9-7", False, 4, RTW14, "V5.5", None),
    ("9-17", "9-1 9-2", False, 5, STATIC14, "V5.5, no policies", None),
    ("9-18", "9-1 9-17", False, 5, STATIC14, "V5.5, 19 policies", None),
)
MISSES = {"8-1": {("cics_cpu_pct", 5): NEAR_FULL}}


def _text(number: str, before: str, ratio: bool, more: str | None) -> str:
    if ratio:
        return MACHINE.format(more=more)
    if before:
        return TWICE if number == "9-17" else AGAIN
    return OWN.format(more=more)


def _ladder(number: str, before: str, ratio: bool, regions: int) -> Ladder:
    law = "ratio" if ratio else "constant"
    return Ladder(f"table-{number}", law, regions=regions, missing=MISSES.get(number)).after(*before.split())


LAWS = {row[0]: _ladder(*row[:4]) for row in LADDERS}
CASES = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=f"{title}, CICS TS {release}",
        question="What CPU does the new release take at each load?"
        if before
        else "What CPU does the work take at higher loads?",
        tolerance=TOLERANCE,
        reason=RELEASE_REASON if before else REASON,
        verdict_text=_text(number, before, ratio, more),
        run=partial(climb, LAWS[number]),
    )
    for number, before, ratio, _, title, release, more in LADDERS
)
