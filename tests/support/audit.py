"""What Python's own audit reports while worksheet functions are called."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

FORBIDDEN = ("subprocess.", "os.", "socket.", "shutil.", "tempfile.", "urllib.", "webbrowser.", "pathlib.", "ctypes.dlopen")
Calls = list[tuple[str, list[Any]]]


def reported(calls: Calls) -> list[str]:
    """Files, commands, connections and imports of the calls; in a process of its own, as an audit hook cannot be removed."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_reported, calls).result()


def _reported(calls: Calls) -> list[str]:
    from qnsolve_excel import call
    from qnsolve_excel.modelling import ANSWERS

    for name, given in calls:  # everything is imported
        call(name, given)
    ANSWERS.clear()
    seen: list[str] = []
    listening = True

    def heard(event: str, given: tuple[Any, ...]) -> None:
        if listening and (event in {"open", "exec", "compile", "import"} or event.startswith(FORBIDDEN)):
            seen.append(f"{event} {given[:1]}"[:200])

    sys.addaudithook(heard)
    for name, given in calls:
        call(name, given)
    listening = False
    return seen
