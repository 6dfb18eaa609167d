"""The component of the extension, which LibreOffice loads: one method for each worksheet function.

It travels in the extension beside written.json; the rest is in qnsolve_bridge.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import unohelper
from org.qnsolve.calc import XQueueing
from qnsolve_bridge import Bridge

with open(os.path.join(os.path.dirname(__file__), "written.json"), encoding="utf-8") as _file:
    WRITTEN = json.load(_file)
BRIDGE = Bridge(WRITTEN)


class QueueingAddIn(unohelper.Base, XQueueing):  # type: ignore[misc]
    """The worksheet functions."""

    def __init__(self, context: Any) -> None:
        self.context = context


def _single(name: str) -> Callable[..., Any]:
    return lambda self, *given: BRIDGE.call(name, given)


def _rows(name: str) -> Callable[..., Any]:
    def run(self: QueueingAddIn, *given: Any) -> Any:
        answer = BRIDGE.call(name, given)
        return answer if isinstance(answer, tuple) else ((answer,),)

    return run


for _name, _spills in WRITTEN["functions"].items():
    setattr(QueueingAddIn, _name, (_rows if _spills else _single)(_name))

g_ImplementationHelper = unohelper.ImplementationHelper()  # noqa: N816, LibreOffice's loader looks for this name
g_ImplementationHelper.addImplementation(QueueingAddIn, WRITTEN["namespace"], ("com.sun.star.sheet.AddIn",))
