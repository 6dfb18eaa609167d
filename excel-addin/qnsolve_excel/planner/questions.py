"""The question bar of the page as the arguments of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qnsolve.errors import ModelError, suggestion
from qnsolve.files.short_forms import seconds
from qnsolve.model import checks
from qnsolve.model.yearly_growth import a_year
from qnsolve.planning.loads.load_words import listed, seasons_of, special_day_of

KEYS = ("growth", "begin", "until", "by", "targets", "what_ifs", "seasons", "special_days")
MOST_WHAT_IFS = 40


def asked_of(question: Any) -> dict[str, Any]:
    """The arguments of `qn.study`; what is empty is left out.

    Parameters
    ----------
    question : mapping
        `growth`, a text or a mapping of work to texts with "" for the others; no names of files. `targets`, a mapping of work
        to seconds or to texts such as "200ms". `seasons` and `special_days` as a study takes them, or texts, "12=1.3; Q4=1.2".
        `begin`, `until`, `by`, `what_ifs` as a study takes them.

    Raises
    ------
    ModelError
    """
    if not isinstance(question, Mapping):
        raise ModelError("question", "must be a table of keys and values", "write { growth = '8%/year' }", question)
    for key in question:
        if key not in KEYS:
            raise ModelError(f"question: {key}", "is an unknown key", suggestion(str(key), KEYS))
    found: dict[str, Any] = {key: question[key] for key in KEYS if question.get(key) not in (None, "", [], {})}
    if "growth" in found:
        found["growth"] = _growth(found["growth"])
    if "targets" in found:
        found["targets"] = _targets(found["targets"])
    if isinstance(found.get("seasons"), str):
        found["seasons"] = seasons_of("seasons", listed(found["seasons"]))
    if isinstance(found.get("special_days"), str):
        found["special_days"] = [special_day_of("special day", text) for text in listed(found["special_days"])]
    changes = checks.listed("what_ifs", found.get("what_ifs", []))
    if len(changes) > MOST_WHAT_IFS:
        raise ModelError("what_ifs", f"must be at most {MOST_WHAT_IFS}", "ask in two steps", len(changes))
    return found


def _growth(given: Any) -> Any:
    """Growth without names of files: what comes from a browser opens none."""
    each = (
        {name: value for name, value in given.items() if value not in (None, "")} if isinstance(given, Mapping) else {"": given}
    )
    for name, value in each.items():
        if not isinstance(value, Mapping):
            a_year(f"growth of {name}" if name else "growth", value)
    return each


def _targets(given: Any) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise ModelError("targets", "must map work to times", "write { orders = '200ms' }", given)
    found = {}
    for name, value in given.items():
        if value in (None, ""):
            continue
        item = f"target of {name}"
        found[str(name)] = checks.number(item, seconds(item, value, "200ms or 0.2s"), positive=True)
    return found
