"""What the worker processes of the page do, by name: plain data in, plain data out."""

from __future__ import annotations

import base64
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from qnsolve.planning.load_points import LoadPoints
from qnsolve.planning.study import Study, study

from .first_curve import first_study, headroom, later_figures, today_figures
from .first_loads import FirstLoads, first_load, first_loads, path_of, to_an_end
from .opened_files import described, opened, system_of
from .questions import asked_of

KEPT = 24  # models, and studies, that a worker remembers


class _Kept(OrderedDict[str, Any]):
    """What was computed last."""

    def of(self, key: str, make: Callable[[], Any]) -> Any:
        """The kept one, or a new one."""
        if key not in self:
            self[key] = make()
            while len(self) > KEPT:
                self.popitem(last=False)
        self.move_to_end(key)
        return self[key]


_POINTS, _LOADS, _STUDIES = _Kept(), _Kept(), _Kept()


def _key(*given: Any) -> str:
    return json.dumps(given, sort_keys=True)


def _points(given: Mapping[str, Any]) -> LoadPoints:
    """The model to be solved at loads; kept."""
    found: LoadPoints = _POINTS.of(_key(given["model"]), lambda: LoadPoints(system_of(given["model"]), {}))
    return found


def _loads(given: Mapping[str, Any], points: LoadPoints) -> FirstLoads:
    """The loads of the question; kept."""
    question = asked_of(given.get("question", {}))
    found: FirstLoads = _LOADS.of(_key(given["model"], question), lambda: first_loads(points, question))
    return found


def today(given: Mapping[str, Any]) -> dict[str, Any]:
    """The point of the first load."""
    points = _points(given)
    return today_figures(points, first_load(path_of(points, asked_of(given.get("question", {})))))


def later(given: Mapping[str, Any]) -> dict[str, Any]:
    """The point of the later load that the first curve needs; empty where it needs none."""
    points = _points(given)
    asked = _loads(given, points)
    return later_figures(points, asked.loads[asked.later]) if asked.later else {}


def first(given: Mapping[str, Any]) -> dict[str, Any]:
    """The first curve from the two points."""
    points = _points(given)
    return first_study(points, _loads(given, points), given["today"], given["later"])


def study_of(given: Mapping[str, Any]) -> Study:
    """The study of a model and a question, kept."""
    question = asked_of(given.get("question", {}))
    remedies = given.get("remedies", False)
    key = _key(given["model"], question, remedies)
    found: Study = _STUDIES.of(key, lambda: study(system_of(given["model"]), **to_an_end(question), remedies=remedies))
    return found


def full(given: Mapping[str, Any]) -> dict[str, Any]:
    """The whole study, and its sentences."""
    found = study_of(given)
    points = _points(given)
    left = headroom(points, _loads(given, points), found.verdict)
    more = {"sentences": list(found.sentences()), "headroom": left, "preliminary": False}
    return {**found.as_dict(), **more}


def describing(given: Mapping[str, Any]) -> dict[str, Any]:
    """A checked model with its figures."""
    return described(given["model"], together=given.get("together") is not False)


def opening(given: Mapping[str, Any]) -> dict[str, Any]:
    """The scenarios of a file."""
    return opened(given["text"], given.get("name", "model.toml"))


def exporting(given: Mapping[str, Any]) -> dict[str, Any]:
    """A file to be saved: its name, its type, its content in base64."""
    from .exports import exported

    name, kind, content = exported(given, study_of)
    return {"name": name, "type": kind, "content": base64.b64encode(content).decode("ascii")}


def measuring(given: Mapping[str, Any]) -> dict[str, Any]:
    """What measured intervals say, and a model with their rates."""
    from .measured_import import imported

    return imported(given)


def helping(given: Mapping[str, Any]) -> dict[str, Any]:
    """What would help most: remedies and each figure by 10 %."""
    from .what_helps import what_helps

    return what_helps(system_of(given["model"]), asked_of(given.get("question", {})))


TASKS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "today": today,
    "later": later,
    "first": first,
    "study": full,
    "describe": describing,
    "open": opening,
    "export": exporting,
    "measure": measuring,
    "help": helping,
}
