"""What Python's own audit reports while worksheet functions are called."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

FORBIDDEN = ("subprocess.", "os.", "socket.", "shutil.", "tempfile.", "urllib.", "webbrowser.", "pathlib.", "ctypes.dlopen")
Calls = list[tuple[str, list[Any]]]


def reported(calls: Calls) -> tuple[list[Any], list[str]]:
    """Answers made anew, and the files, commands, connections and imports that it took to make them once more.

    In a process of its own, as an audit hook cannot be removed.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_reported, calls).result()


def _reported(calls: Calls) -> tuple[list[Any], list[str]]:
    from qnsolve_excel import call
    from qnsolve_excel.modelling import ANSWERS

    answers = [call(name, given) for name, given in calls]  # everything is imported
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
    return answers, seen
