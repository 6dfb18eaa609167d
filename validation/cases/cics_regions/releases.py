"""cics-perf chapters 6 to 9: load ladders of COBOL work, a release from the one before."""

from __future__ import annotations

from functools import partial

from ...case import Case
from ...models.load_ladder import Ladder, climb
from .three_workloads import DYNAMIC, RTW, STATIC_AGAIN

TOLERANCE = 0.05
REASON = "a capacity plan is held to 5 %"
RELEASE_REASON = "a capacity plan is held to 5 %; the same workload measured twice differs by 3 %"
OWN = "Constant CPU of a transaction, from the lowest row alone, gives the CPU at {more} times the load."
MACHINE = (
    "Part of the CPU of terminal work in several regions does not grow with the load. The line of the same workload on the "
    "machine before, times one ratio from row 1, gives the CPU at {more} times the load: the ratio of the machines holds for "
    "both parts."
)
AGAIN = "The law of the release before gives this one: it costs the same CPU at every load. Nothing is fitted."
TWICE = "The same workload, measured once more for another section: the law of the first is 3 % off, as the two runs differ."
HTTP = "DSW over HTTP, z13"
STATIC12, STATIC13, STATIC14 = (f"DSW with static routing, {m}" for m in ("zEC12", "z13", "z14"))
DYNAMIC12, DYNAMIC13 = (f"DSW with dynamic routing, {m}" for m in ("zEC12", "z13"))
RTW12, RTW13, RTW14 = (f"RTW, threadsafe, {m}" for m in ("zEC12", "z13", "z14"))
# table, law, table that it is from, regions, title, release, range of load or None
LADDERS: tuple[tuple[str, str, str | None, int, str, str, str | None], ...] = (
    ("6-1", "ratio", "5-1", 5, STATIC12, "V5.1", "2.3"),
    ("6-2", "line", "6-1", 5, STATIC12, "V5.2", None),
    ("6-3", "ratio", "5-3", 34, DYNAMIC12, "V5.1", "5.4"),
    ("6-4", "line", "6-3", 34, DYNAMIC12, "V5.2", None),
    ("6-7", "constant", None, 4, RTW12, "V5.1", "3.7"),
    ("6-8", "constant", "6-7", 4, RTW12, "V5.2", None),
    ("7-1", "constant", None, 4, RTW13, "V5.2", "3.7"),
    ("7-2", "constant", "7-1", 4, RTW13, "V5.3", None),
    ("8-1", "constant", None, 5, STATIC13, "V5.3", "1.6"),
    ("8-2", "constant", "8-1", 5, STATIC13, "V5.4", None),
    ("8-3", "ratio", "6-4", 34, DYNAMIC13, "V5.3", "3.5"),
    ("8-4", "line", "8-3", 34, DYNAMIC13, "V5.4", None),
    ("8-5", "constant", None, 5, HTTP, "V5.3", "1.6"),
    ("8-6", "constant", "8-5", 5, HTTP, "V5.4", None),
    ("8-7", "constant", None, 4, RTW13, "V5.3", "3.7"),
    ("8-8", "constant", "8-7", 4, RTW13, "V5.4", None),
    ("9-1", "ratio", "6-2", 5, STATIC14, "V5.4", "1.7"),
    ("9-2", "line", "9-1", 5, STATIC14, "V5.5", None),
    ("9-7", "constant", None, 4, RTW14, "V5.4", "3.4"),
    ("9-8", "constant", "9-7", 4, RTW14, "V5.5", None),
    ("9-17", "line", "9-2", 5, STATIC14, "V5.5, no policies", None),
    ("9-18", "line", "9-17", 5, STATIC14, "V5.5, 19 policies", None),
)


def _text(number: str, law: str, of: str | None, more: str | None) -> str:
    if law == "ratio":
        return MACHINE.format(more=more)
    if of:
        return TWICE if number == "9-17" else AGAIN
    return OWN.format(more=more)


def _ladders() -> dict[str, Ladder]:
    """The law of each table, from that of another one where it has none of its own."""
    known = {"5-1": STATIC_AGAIN, "5-3": DYNAMIC, "5-5": RTW}
    for number, law, of, regions, *_ in LADDERS:
        known[number] = Ladder(f"table-{number}", law, known[of] if of else None, regions)
    return known


LAWS = _ladders()
CASES = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=f"{title}, CICS TS {release}",
        question="What CPU does the new release take at each load?" if of else "What CPU does the work take at higher loads?",
        tolerance=TOLERANCE,
        reason=RELEASE_REASON if of else REASON,
        verdict_text=_text(number, law, of, more),
        run=partial(climb, LAWS[number]),
    )
    for number, law, of, _, title, release, more in LADDERS
)
