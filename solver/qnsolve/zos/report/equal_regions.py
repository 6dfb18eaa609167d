"""Equal regions: those that differ in their names alone, and do the same work on the same LPAR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qnsolve.zos.parts.system import SystemParts

FEW = 3  # regions that a label names one by one


def equal_regions(system: SystemParts) -> dict[str, str]:
    """The label of the group of each region; its own name where none is equal to it."""
    groups: dict[object, list[str]] = {}
    for region in system.regions:
        roles = []
        for work in system.work:
            for place, step in enumerate(work.steps):
                if region.name in step.regions:
                    roles.append((work.name, place, round(step.share(step.regions.index(region.name)), 12)))
        groups.setdefault((replace(region, name="-"), tuple(roles)), []).append(region.name)
    return {name: group_label(names) for names in groups.values() for name in names}


def group_label(names: Sequence[str]) -> str:
    """How a group is called: "AOR1", "AOR1, AOR2", "AOR1 to AOR9 (9)"."""
    if len(names) <= FEW:
        return ", ".join(names)
    return f"{names[0]} to {names[-1]} ({len(names)})"


def of_group(center: str, labels: dict[str, str]) -> str:
    """The name of a center with the group of its region in place of the region: "AOR1, AOR2 QR TCB"."""
    region = next((name for name in sorted(labels, key=len, reverse=True) if center.startswith(f"{name} ")), "")
    return f"{labels[region]}{center[len(region) :]}" if region else center
