"""JSON to calls and answers to JSON."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import numpy as np

from .. import deadline
from ..cells import EXCEL_CODES, OMITTED, CellError
from ..dispatch import Answer, call

MOST_CALLS = 20_000  # of one batch
LONGEST = 3 * deadline.LONGEST  # seconds for one batch
MOST_MARKS = 5_000_000  # commas and opening brackets: two ranges of a million rows, and some
DEEPEST = 20  # brackets within brackets; a batch has 6
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"')


class RequestError(ValueError):
    """What came is no batch; the message is one line."""


def calls(body: bytes) -> list[tuple[str, list[Any]]]:
    """The calls of a batch: [{"f": "MMC_RESPONSE", "a": [8, 0.1, null]}, ...].

    An argument is a number, a text, true or false, null where it is left out, {"error": "#N/A"}, or a list of rows of
    them; null or "" in a row is an empty cell.
    """
    _refuse_bombs(body)
    try:
        data = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"the body is no JSON: {str(error)[:80]}") from None
    if not isinstance(data, list) or len(data) > MOST_CALLS:
        raise RequestError(f"the body must be a list of at most {MOST_CALLS} calls")
    found = []
    for item in data:
        if not isinstance(item, dict) or not isinstance(item.get("f"), str) or not isinstance(item.get("a", []), list):
            raise RequestError('each call must be {"f": name, "a": [arguments]}')
        found.append((item["f"], [_argument(value) for value in item.get("a", [])]))
    return found


def _refuse_bombs(body: bytes) -> None:
    """Refuse what would take gigabytes once it is read: counted, not read."""
    if sum(map(body.count, (b",", b"[", b"{"))) > MOST_MARKS:
        raise RequestError(f"a request must not have more than {MOST_MARKS} values; calculate fewer cells at once")
    if _depth(body) > DEEPEST and _depth(TEXT.sub(b"", body)) > DEEPEST:  # brackets in texts do not count
        raise RequestError(f"a request must not have more than {DEEPEST} brackets within brackets")


def _depth(body: bytes) -> int:
    marks = np.frombuffer(body.translate(None, NO_BRACKETS), dtype=np.uint8)
    steps = np.where((marks == ord("[")) | (marks == ord("{")), 1, -1)
    return int(steps.cumsum().max(initial=0))


def answers(asked: list[tuple[str, list[Any]]], longest: float = LONGEST) -> list[dict[str, Any]]:
    """What each call shows; those for which no time is left show #NUM!."""
    found = []
    end = time.monotonic() + longest
    for name, given in asked:
        late = CellError("#NUM!", f"the calls of the sheet take more than {longest:g} s; calculate again")
        found.append(written(call(name, given) if time.monotonic() < end else late))
    return found


def reply(body: bytes) -> str:
    """The answers to a batch, as JSON."""
    return json.dumps(answers(calls(body)), allow_nan=False)


def written(answer: Answer) -> dict[str, Any]:
    """An answer as JSON."""
    if isinstance(answer, CellError):
        return {"error": answer.code, "reason": answer.reason}
    return {"value": answer}


def given(value: Any) -> Any:
    """A value of ours as an argument in JSON; the inverse of what `calls` does."""
    if isinstance(value, list):
        return [[None if cell is OMITTED else given(cell) for cell in row] for row in value]
    if isinstance(value, CellError):
        return {"error": value.code}
    return None if value is OMITTED else value


def _argument(value: Any) -> Any:
    if value is None:
        return OMITTED
    if isinstance(value, list):
        return [[_cell(cell) for cell in row] if isinstance(row, list) else [_cell(row)] for row in value]
    return _cell(value)


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        code = value.get("error")
        return CellError(code if isinstance(code, str) and code in EXCEL_CODES else "#VALUE!")
    return CellError("#VALUE!") if isinstance(value, list) else value


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")
