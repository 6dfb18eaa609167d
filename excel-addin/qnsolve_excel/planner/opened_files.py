"""Files that the page opens: a system file in TOML or JSON, or a shared file with scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qnsolve.errors import ModelError
from qnsolve.files.load_save import dumps
from qnsolve.files.model_file import STUDY
from qnsolve.files.system_file import system_from_data, system_to_data
from qnsolve.files.text import form_of, parsed
from qnsolve.planning.drawing import drawing
from qnsolve.planning.question import question
from qnsolve.zos import System

from .part_figures import figure_tree
from .questions import asked_of

SHARED = "qnsolve_scenarios"  # key of a shared file: its version
VERSION = 1
MOST_SCENARIOS = 40


def system_of(model: Any) -> System:
    """The system of plain tables.

    Raises
    ------
    ModelError
    """
    if isinstance(model, Mapping) and ("stations" in model or "classes" in model):
        rule = "must describe a system of LPARs and regions, not a network"
        raise ModelError("file", rule, "give a file with [[lpars]], [[regions]] and [[work]]")
    return system_from_data(model)


def described(model: Any, *, together: bool = True) -> dict[str, Any]:
    """A checked model: its plain tables, its tree of figures, its drawing, and its text in TOML.

    Parameters
    ----------
    model : mapping
    together : bool, default True
        As for `figure_tree`.
    """
    system = system_of(model)
    data = system_to_data(system)
    return {
        "model": data,
        "tree": figure_tree(system, data, together=together),
        "drawing": drawing(system),
        "text": dumps(system),
    }


def opened(text: str, name: str) -> dict[str, Any]:
    """The scenarios of a file.

    Parameters
    ----------
    text : str
    name : str
        Its name, which an error names.

    Returns
    -------
    dict
        `scenarios`, each with name, model and question; `current`, the place of the one that is shown.

    Raises
    ------
    ModelError
    """
    try:
        form = form_of(f".{name.rpartition('.')[2]}", text.encode())
        if form == "jmva":
            raise ModelError("file", "describes a network", "give a system file: qnsolve template lists three to begin with")
        data = parsed(text, form)
        if isinstance(data, Mapping) and SHARED in data:
            return _shared(data)
        asked = question(data.get(STUDY, {})) if isinstance(data, Mapping) else {}
        asked.pop("remedies", None)  # the page has a button for them
        asked_of(asked)
        system = system_of(data)
    except ModelError as error:
        raise error.in_file(name) from error.__cause__
    title = system.name or name.rpartition(".")[0] or "model"
    return {"scenarios": [{"name": title, "model": system_to_data(system), "question": asked}], "current": 0}


def _shared(data: Mapping[str, Any]) -> dict[str, Any]:
    if data[SHARED] != VERSION:
        raise ModelError(SHARED, f"must be {VERSION}", "open it with the release that wrote it", data[SHARED])
    scenarios = data.get("scenarios")
    if not isinstance(scenarios, list) or not 0 < len(scenarios) <= MOST_SCENARIOS:
        raise ModelError("scenarios", f"must be a list of 1 to {MOST_SCENARIOS}", "save the file again from the page")
    found = []
    for number, each in enumerate(scenarios, start=1):
        if not isinstance(each, Mapping):
            raise ModelError(f"scenario {number}", "must be a table of name, model and question", "save the file again", each)
        name = str(each.get("name") or f"Scenario {number}")[:80]
        try:
            asked_of(each.get("question", {}))
            model = system_to_data(system_of(each.get("model")))
        except ModelError as error:
            error.item = f"scenario {name!r}: {error.item}"
            raise
        found.append({"name": name, "model": model, "question": each.get("question", {})})
    current = data.get("current", 0)
    return {"scenarios": found, "current": current if isinstance(current, int) and 0 <= current < len(found) else 0}
