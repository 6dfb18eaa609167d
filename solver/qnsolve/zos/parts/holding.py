"""Tasks that hold a place while others that they wait for need one too: systems that can stop for good."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from qnsolve.errors import ModelError

from .regions import Region
from .work import Step, Work

Place = tuple[str, str | None]  # region, and TRANCLASS or None


def check_holding(works: Sequence[Work], regions: Sequence[Region]) -> None:
    """No limit can fill with tasks that wait, through others, for a place of that limit.

    Raises
    ------
    ModelError
    """
    sizes = {(r.name, name): size for r in regions for name, size in ((None, r.limit), *(r.tranclasses or {}).items())}
    words = {r.name: r.limit_name for r in regions}
    waits: dict[Place, dict[Place, str]] = {place: {} for place in sizes}
    needed: dict[Place, float] = dict.fromkeys(sizes, 0.0)  # places that all users can hold while they wait for more
    for work in works:
        most: dict[Place, int] = {}
        chain: list[Step] = []
        for step in work.steps:
            chain = [*chain, step] if step.called else [step]
            for place in {place for above in chain[:-1] for place in _places(above)}:
                held = sum(place in _places(above) for above in chain[:-1])
                most[place] = max(most.get(place, 0), held)
            for above in chain[:-1]:
                for held_place in _places(above):
                    for wanted in _places(step):
                        waits[held_place].setdefault(wanted, work.name)
        for place, held in most.items():
            needed[place] += inf if work.users is None else held * work.users
    for place, size in sizes.items():
        work_name = _returns(place, waits)
        if work_name is not None and needed[place] >= size:
            region, tranclass = place
            limit = words[region] if tranclass is None else f"TRANCLASS {tranclass}"
            rule = (
                f"a parent and its children share {limit} {size:.0f} of {region!r}, itself or through another region: "
                "full of parents, it never lets a child in"
            )
            raise ModelError(
                f"work {work_name!r}: steps", rule, "run the children in a region of their own, or write called = false"
            )


def _places(step: Step) -> Iterator[Place]:
    for region in step.regions:
        yield region, None
        if step.tranclass is not None:
            yield region, step.tranclass


def _returns(start: Place, waits: dict[Place, dict[Place, str]]) -> str | None:
    """A work by which tasks that hold a place wait for one of the same limit, directly or through others."""
    seen, open_ = set(), [start]
    while open_:
        for wanted, name in waits[open_.pop()].items():
            if wanted == start:
                return name
            if wanted not in seen:
                seen.add(wanted)
                open_.append(wanted)
    return None
