"""Sites of ten regions that the planner's page is timed on: the templates, enlarged; users; open work beside QR TCBs."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from qnsolve.files.system_templates import template_text
from qnsolve_excel.planner.opened_files import opened

Scenario = dict[str, Any]
ASKED = {"begin": "2026-12", "until": "2028-12"}
MORE_AORS = {f"AOR{n}": [f"AOR{n}", f"AOR{n + 4}"] for n in range(1, 5)}
MORE_MPPS = {"MPP": [f"MPP{n}" for n in range(1, 8)], "IFP": ["IFP1", "IFP2", "IFP3"]}
MORE_MQ = {
    "CICSA1": ["CICSA1", "CICSA3", "CICSA5"],
    "CICSA2": ["CICSA2", "CICSA4"],
    "CICSB1": ["CICSB1", "CICSB3", "CICSB5"],
    "CICSB2": ["CICSB2", "CICSB4"],
}


def page_scenarios(files: list[Path]) -> list[Scenario]:
    """The sites by name, then those of system files."""
    cics = enlarged("cics", MORE_AORS, 2.0)
    found = [
        cics,
        enlarged("ims", MORE_MPPS, 1.0, {"MPP": {"regions": 8, "tranclasses": {"BATCHLIKE": 1}}, "IFP": {"regions": 5}}),
        enlarged("mq", MORE_MQ, 2.5),
        with_users(cics),
        beside_open(cics),
    ]
    return found + [{**each, "question": {**each["question"], **ASKED}} for file in files for each in _of(file)]


def _of(file: Path) -> list[Scenario]:
    found: list[Scenario] = opened(file.read_text(encoding="utf-8"), file.name)["scenarios"]
    return [{**each, "question": {"growth": "8%/quarter", **each["question"]}} for each in found]


def enlarged(
    template: str, names: Mapping[str, list[str]], times: float, changes: Mapping[str, Mapping[str, Any]] | None = None
) -> Scenario:
    """A template in which several regions take the place of one, with so many times the work and CPs.

    Parameters
    ----------
    template : str
    names : mapping of region to list of str
    times : float
    changes : mapping of region to mapping, optional
        Figures of those that take its place.
    """
    found: Scenario = opened(template_text(template), f"{template}.toml")["scenarios"][0]
    model = deepcopy(found["model"])
    model["regions"] = [
        {**each, **(changes or {}).get(each["name"], {}), "name": name}
        for each in model["regions"]
        for name in names.get(each["name"], [each["name"]])
    ]
    for lpar in model["lpars"]:
        lpar["processors"]["engines"] = round(lpar["processors"]["engines"] * times)
        if "ziips" in lpar:
            lpar["ziips"]["cores"] = round(lpar["ziips"]["cores"] * times)
    for log in model["loggers"]:
        log["stripes"] = 4 * log.get("stripes", 1)
    for work in model["work"]:
        work["rate"] *= times
        for step in work["steps"]:
            step["regions"] = [name for each in step["regions"] for name in names.get(each, [each])]
    name = f"{template}, {len(model['regions'])} regions"
    return {"name": name, "model": {**model, "name": name}, "question": {**found["question"], **ASKED}}


def with_users(scenario: Scenario) -> Scenario:
    """The same with users who think 10 s in place of rates; targets at twice those of the rates."""
    model, question = deepcopy(scenario["model"]), scenario["question"]
    for work in model["work"]:
        work |= {"users": round(10 * work.pop("rate")), "think_time": 10.0}
    targets = {name: 2 * most for name, most in question["targets"].items()}
    name = f"{scenario['name']}, users"
    return {"name": name, "model": {**model, "name": name}, "question": {**question, "targets": targets}}


def beside_open(scenario: Scenario) -> Scenario:
    """The same with three times the CPU on open TCBs, and CPs that it fills as much as the QR TCBs are."""
    model = deepcopy(scenario["model"])
    for work in model["work"]:
        for step in work["steps"]:
            if step.get("open_cpu"):
                step["open_cpu"] *= 3
    model["lpars"][0]["processors"]["engines"] = 15
    name = f"{scenario['name']}, open work"
    return {"name": name, "model": {**model, "name": name}, "question": scenario["question"]}
