"""Errors of system answers against the stored references: `python -m benchmarks systems --salt 0`.

The error of a system is that of its worst work. The half width of the reference (95 %) is taken off: what is left
is the error of the answer at least. Salts 0 to 3 are for tuning, 4 and 5 for the errors that answers state, salt 5 for the
table that is published.
"""

from __future__ import annotations

import argparse
import csv
import math
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from qnsolve.errors import QnsolveError
from qnsolve.zos.report import region_of_use
from qnsolve.zos.report.region_of_use import CENTERS, LIMITS, Use, tcb_use, uses

from benchmarks import system_references
from benchmarks.families.all_systems import FAMILIES
from benchmarks.system_references import Reference

TITLE = "| family | systems | R: mean, 95th, max | X: mean, max | refused | beyond the stated error | time: mean, max |"
RULE = "|---|---|---|---|---|---|---|"
FEWEST = 100  # works of a region of use, its neighbours added until they are as many
LEVEL = 0.95
SURE = 0.96  # of the errors of a region of use that what is stated holds: of others then 95 in 100


@dataclass(frozen=True)
class WorkError:
    """Errors of one work, over the truth and without the half width of the reference [ratio].

    Attributes
    ----------
    response, throughput : float
        At least 0.
    signed : float
        Of the response time, with its sign and the half width.
    stated : float or None
        Error that the answer states of the response time.
    beyond : bool or None
        Whether the truth is beyond it.
    """

    work: str
    response: float
    throughput: float
    signed: float
    stated: float | None
    beyond: bool | None

    @property
    def of_answer(self) -> float:
        """Error of the response time over what the answer says, as it is stated."""
        return self.response / max(1 + self.signed, 1e-300)


@dataclass(frozen=True)
class Checked:
    """A system that was solved: its errors by work, or the reason why there is no answer."""

    reference: Reference
    seconds: float
    works: tuple[WorkError, ...]
    reason: str = ""

    @property
    def response(self) -> float:
        """Error of the worst response time."""
        return max((work.response for work in self.works), default=math.nan)

    @property
    def throughput(self) -> float:
        """Error of the worst throughput."""
        return max((work.throughput for work in self.works), default=math.nan)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in a block that takes more CPU time, whatever else the machine does."""

    def over(*_: object) -> None:
        raise TimeoutError(f"no answer in {seconds:g} s")

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def checked(reference: Reference, longest: float = 60.0) -> Checked:
    """Solve a system and set its answer beside the reference."""
    system, began = reference.drawn.system, process_time()
    try:
        with at_most(longest):
            answer: Any = system.solve()
    except (
        QnsolveError,
        TimeoutError,
        ArithmeticError,
        ValueError,
        LookupError,
        np.linalg.LinAlgError,
    ) as error:
        return Checked(reference, process_time() - began, (), f"{type(error).__name__}: {str(error)[:160]}")
    seconds = process_time() - began
    found = []
    for name, truth in reference.works.items():
        row: Any = answer[name]
        off = row.response_time / truth.response - 1
        least = max(abs(off) - truth.relative, 0.0)
        rate = max(abs(row.etr / truth.throughput - 1) - truth.relative_rate, 0.0)
        stated = getattr(row, "response_error", None)
        beyond = None if stated is None else abs(off) - truth.relative > stated * row.response_time / truth.response
        found.append(WorkError(name, least, rate, off, stated, beyond))
    return Checked(reference, seconds, tuple(found))


def row(name: str, found: Sequence[Checked]) -> str:
    """A line of the table."""
    answered = [one for one in found if one.works]
    r = 100 * np.array([one.response for one in answered] or [math.nan])
    x = 100 * np.array([one.throughput for one in answered] or [math.nan])
    stated = [work.beyond for one in answered for work in one.works if work.beyond is not None]
    beyond = f"{100 * np.mean(stated):.1f} %" if stated else "not stated"
    times = 1e3 * np.array([one.seconds for one in found])
    cells = [
        name,
        f"{len(found)}",
        f"{r.mean():.2f}, {np.quantile(r, LEVEL):.2f}, {r.max():.2f} %",
        f"{x.mean():.2f}, {x.max():.2f} %",
        f"{len(found) - len(answered)}",
        beyond,
        f"{times.mean():.0f}, {times.max():.0f} ms",
    ]
    return f"| {' | '.join(cells)} |"


def table(found: Sequence[Checked], families: Iterable[str] = FAMILIES, of: str = "family") -> str:
    """The table by family, what these are `of` above it, and over all."""
    lines = [TITLE.replace("family", of), RULE]
    for family in families:
        own = [one for one in found if one.reference.drawn.family == family]
        lines += [row(family, own)] if own else []
    return "\n".join([*lines, row("**all**", found)])


def worst(found: Sequence[Checked], count: int) -> str:
    """The systems that are farthest off, and those without an answer."""
    lines = [f"{one.reference.drawn.name}: {one.reason}" for one in found if one.reason]
    answered = sorted((one for one in found if one.works), key=lambda one: -one.response)
    for one in answered[:count]:
        truth = one.reference.works
        works = ", ".join(f"{w.work} {100 * w.signed:+.1f} ± {100 * truth[w.work].relative:.1f}" for w in one.works)
        errors = f"R {100 * one.response:.1f} %, X {100 * one.throughput:.2f} %"
        lines.append(f"{one.reference.drawn.name}: {errors} ({works})")
    return "\n".join(lines)


def features(reference: Reference) -> dict[str, str]:
    """What a system is like, by feature: classes of its use, taken from the reference, and its parts."""
    form, data, works = system_references.form_of(reference.drawn), reference.drawn.data, reference.drawn.data["work"]
    throughput = np.array([truth.throughput for truth in reference.works.values()])
    met = use_of(reference).values()
    size = max(len(data["lpars"]), 1)
    engines = max(float(n) for n in form.engines)
    return {
        "CPs": _class(max(reference.busy.values()), (0.5, 0.7, 0.8, 0.88, 0.94, 0.98)),
        "QR TCB": _class(float(tcb_use(form, throughput).max(initial=0.0)), (0.3, 0.5, 0.7, 0.85)),
        "limits": _class(max(use.limit for use in met), (0.5, 0.75, 0.92, 0.99)),
        "engines": "1" if engines <= 1 else "2 to 3" if engines <= 3 else "4 to 6" if engines <= 6 else "7 to 12",
        "LPARs": "1" if size == 1 else "2 to 4",
        "load": "both" if len({"rate" in w for w in works}) == 2 else "rates" if "rate" in works[0] else "users",
        "works": "1" if len(works) == 1 else "2 to 3" if len(works) <= 3 else "4 to 9",
        "bursts": "bursts" if any(w.get("burst", 1) > 1 for w in works) else "none",
        "importance": "several" if len({r.get("importance", 1) for r in data["regions"]}) > 1 else "one",
        "QR order": "of arrival" if any(x.get("qr_dispatches") for w in works for x in w["steps"]) else "shared",
    }


def _class(value: float, edges: Sequence[float]) -> str:
    """The class of a use, in percent."""
    place = int(np.searchsorted(edges, value))
    low, high = (0.0, *edges)[place], (*edges, 1.0)[place]
    return f"{100 * low:.0f} to {100 * high:.0f} %"


def feature_table(found: Sequence[Checked]) -> str:
    """Errors of response times by each feature of the systems."""
    groups: dict[tuple[str, str], list[float]] = {}
    for one in found:
        if one.works:
            for key in features(one.reference).items():
                groups.setdefault(key, []).append(100 * one.response)
    order = list(dict.fromkeys(name for name, _ in groups))
    lines = ["| feature | class | systems | R: mean, 95th, max |", "|---|---|---|---|"]
    place = {key: (order.index(key[0]), float(key[1].split()[0]) if "%" in key[1] else 0.0, key[1]) for key in groups}
    for feature, kind in sorted(groups, key=place.__getitem__):
        r = np.array(groups[feature, kind])
        lines.append(f"| {feature} | {kind} | {len(r)} | {r.mean():.2f}, {np.quantile(r, LEVEL):.2f}, {r.max():.2f} % |")
    return "\n".join(lines)


def use_of(reference: Reference) -> dict[str, Use]:
    """The region of use of each work, from the reference itself."""
    form = system_references.form_of(reference.drawn)
    throughput = np.array([truth.throughput for truth in reference.works.values()])
    held = np.array([reference.pools.get(name, (0.0, 0.0))[0] for name in form.pool_name])
    return dict(zip(reference.works, uses(form, throughput, np.array(list(reference.busy.values())), held), strict=True))


Errors = dict[tuple[int, int, int], list[float]]  # of response times, by region of use


def errors_of(found: Sequence[Checked]) -> Errors:
    """Errors of all works by region of use."""
    errors: Errors = {}
    for one in found:
        use = use_of(one.reference)
        for work in one.works:
            errors.setdefault(use[work.work].cell, []).append(work.of_answer)
    return errors


def regions(*populations: Errors) -> list[dict[str, Any]]:
    """Errors by region of use: mean, and the quantile within which 95 of 100 further ones are to be expected.

    Of several populations of systems it is the largest: it holds for each of them. Where a region has fewer than `FEWEST` works
    of one those of the regions around it are added, farther and farther.
    """
    rows = []
    for cell in product((0, 1), range(len(CENTERS) + 1), range(len(LIMITS) + 1)):
        most, own = 0.0, [error for errors in populations for error in errors.get(cell, [])]
        for errors in populations:
            near: list[float] = []
            for reach in range(len(CENTERS) + len(LIMITS) + 1):
                near = sorted(error for other, its in errors.items() if _apart(cell, other) <= reach for error in its)
                if len(near) >= FEWEST:
                    break
            if near:
                most = max(most, near[min(math.ceil((len(near) + 1) * SURE), len(near)) - 1])
            own = own or near
        mean = float(np.mean(own)) if own else math.nan
        figures = {"mean": mean, "most": most}
        names = dict(zip(("uneven", "center", "limit"), cell, strict=True))
        rows.append(names | {"works": sum(len(errors.get(cell, [])) for errors in populations)} | figures)
    return rows


def _apart(cell: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """Classes between two regions; uneven work is never set beside other work."""
    return abs(cell[1] - other[1]) + abs(cell[2] - other[2]) if cell[0] == other[0] else math.inf


def region_table(rows: Sequence[dict[str, Any]]) -> str:
    """Errors by region of use as text, a line a class of the busiest center, a column a class of the fullest limit."""
    limits, centers = (0.0, *LIMITS, 1.0), (0.0, *CENTERS, 1.0)
    head = " | ".join(f"limits {100 * a:.0f} to {100 * b:.0f} % full" for a, b in pairwise(limits))
    lines = [f"| busiest center | {head} |", "|---" * len(limits) + "|"]
    for uneven, (center, (low, high)) in product((0, 1), enumerate(pairwise(centers))):
        own = [r for r in rows if (r["uneven"], r["center"]) == (uneven, center)]
        cells = [f"{100 * r['mean']:.1f}, {100 * r['most']:.1f} % ({r['works']})" for r in own]
        lines.append(f"| {100 * low:.0f} to {100 * high:.0f} %{', uneven' * uneven} | {' | '.join(cells)} |")
    return "\n".join(lines)


def write(rows: Sequence[dict[str, Any]]) -> None:
    """The table that the package carries."""
    path = Path(region_of_use.__file__).with_name(region_of_use.TABLE)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: f"{x:.4f}" if isinstance(x, float) else x for key, x in row.items()} for row in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks systems", description=__doc__)
    text = "0 to 3: tuning; 4 and 5: stated errors; 5: published table; may stand several times (0)"
    parser.add_argument("--salt", type=int, action="append", help=text)
    parser.add_argument("--family", action="append", help="only this family; may stand several times")
    parser.add_argument("--worst", type=int, default=10, metavar="N", help="systems that are listed (10)")
    parser.add_argument("--longest", type=float, default=60.0, metavar="SECONDS", help="for one system (60)")
    parser.add_argument("--features", action="store_true", help="print the errors by each feature of the systems too")
    options = parser.parse_args(arguments)
    stored = [one for salt in options.salt or [0] for one in system_references.load(salt).values()]
    references = [one for one in stored if not options.family or one.drawn.family in options.family]
    if not references:
        parser.error("no references are stored for this")
    found = [checked(reference, options.longest) for reference in references]
    rows = regions(errors_of(found))
    sys.stdout.write(f"{table(found)}\n\n{worst(found, options.worst)}\n\n{region_table(rows)}\n")
    if options.features:
        sys.stdout.write(f"\n{feature_table(found)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
