"""The errors of qnsolve: each is one line of at most 300 characters and has an exit code."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from enum import Enum, auto

LONGEST = 300  # characters of a message, without the name of its file
ITEM, VALUE = 100, 60  # characters of them that an item and a value take at most
REASONS = 3  # that the message of a refused model shows


class QnsolveError(Exception):
    """Base of all errors; `exit_code` is the exit code of the command line."""

    exit_code = 1


class Repair(Enum):
    """Kinds of repair that a front end words in its own way: a sheet has cells and columns in place of keys."""

    TEXT = auto()  # a text in place of another value
    NUMBER = auto()
    FLAG = auto()  # true or false
    LIST = auto()
    SPEEDS = auto()  # speeds by the number of jobs
    SERVER_SPEEDS = auto()
    BY_STATION = auto()  # a number for each station
    DEMANDS = auto()
    POPULATION_OR_RATE = auto()
    CAPACITY = auto()
    ITEM = auto()  # at least one station, class, region ...
    LENGTHS = auto()  # series of one length


class ModelError(QnsolveError, ValueError):
    """The model or a call is wrong: one line with file, item, value, rule and repair.

    Parameters
    ----------
    item : str
        What is wrong, as the user knows it: "class 'query': think_time".
    rule : str
        What must hold.
    repair : str
        What to do about it.
    value : object, optional
        The wrong value; without it the message shows none.
    code : Repair, optional
        The kind of the repair, for front ends with their own wording; `repair` is the wording for a model file.
    """

    exit_code = 2
    NO_VALUE = object()

    def __init__(self, item: str, rule: str, repair: str, value: object = NO_VALUE, *, code: Repair | None = None) -> None:
        self.item, self.rule, self.repair, self.value, self.code = item, rule, repair, value, code
        self.file: str | None = None
        super().__init__(item, rule, repair)

    def in_file(self, file: object) -> ModelError:
        """The same error, naming the file it was found in."""
        self.file = str(file)
        return self

    def __str__(self) -> str:
        item = one_line(self.item, ITEM)
        if self.value is not self.NO_VALUE:
            item += f" = {_short(self.value)}"
        text = one_line(": ".join(part for part in (item, f"{self.rule}; {self.repair}") if part))
        return f"{one_line(self.file)}: {text}" if self.file else text


class SaturatedError(QnsolveError):
    """The open classes demand more of a station than it can serve.

    Attributes
    ----------
    station, class_name : str
        The most loaded station, and the class that loads it most ("" without classes).
    utilization : float
        Offered load per server [1 or more].
    highest_rate : float
        Stability bound of that class: its rate must stay below, the other classes unchanged [jobs/time]. Of a system the
        part of its work that it holds [ratio].
    """

    exit_code = 3

    def __init__(self, station: str, utilization: float, highest_rate: float, repair: str, class_name: str = "") -> None:
        self.station, self.utilization = station, utilization
        self.class_name, self.highest_rate = class_name, highest_rate
        cause = f"class {one_line(repr(class_name), ITEM)} loads it most and " if class_name else ""
        item = f"station {one_line(repr(station), ITEM)} is saturated"
        super().__init__(one_line(f"{item}: utilization {utilization:.6g} must stay below 1; {cause}{repair}"))


class NoMethodError(QnsolveError):
    """No method, or not the one named, accepts the model.

    Attributes
    ----------
    reasons : dict of str to str
        Why each method refuses, by its name. The message shows the three reasons that concern this model most.
    """

    exit_code = 3

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self.reasons = dict(reasons)
        super().__init__(one_line(_refusal(self.reasons)))


_REST = " ({} more: qnsolve methods FILE, or qnsolve.methods(model))"


def _refusal(reasons: Mapping[str, str]) -> str:
    """The message of a refused model: its reasons, those of many methods first, those about other kinds of model last."""
    named: dict[str, list[str]] = {}
    for method, reason in reasons.items():
        named.setdefault(reason, []).append(method)
    if len(named) == 1:
        (reason, methods), *_ = named.items()
        start = f"method {methods[0]} does not accept" if len(methods) == 1 else "no method accepts"
        return f"{start} this model: {reason}"
    ordered = sorted(named, key=lambda reason: (reason.startswith("for "), -len(named[reason])))
    start = "no method accepts this model: "
    room = LONGEST - len(start) - len(_REST.format(len(ordered)))
    shown = [one_line(ordered[0], room)]
    for reason in ordered[1:REASONS]:
        if len("; ".join([*shown, reason])) <= room:
            shown.append(reason)
    left = len(ordered) - len(shown)
    return start + "; ".join(shown) + (_REST.format(left) if left else "")


class ConvergenceError(QnsolveError):
    """An iteration did not converge; `residual` is the residual of its last step."""

    exit_code = 4

    def __init__(self, message: str, residual: float) -> None:
        self.residual = residual
        reached = f"residual {residual:.3g}" if math.isfinite(residual) else "it diverged"
        super().__init__(one_line(f"{message} ({reached})"))


class LawError(QnsolveError):
    """A computed answer breaks a law of queueing and is therefore not returned."""

    exit_code = 4


class ApproximationWarning(UserWarning):
    """An approximate method was used outside the range in which its error was measured."""


class ImportNote(UserWarning):
    """A part of another program's file was left out or assumed."""


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= VALUE else text[: VALUE - 3] + "..."


def one_line(text: str, longest: int = LONGEST) -> str:
    """`text` on one line, in at most so many characters: of a longer one the head and the tail."""
    if len(text) > 100 * longest:  # a text of megabytes: what lies far from both ends is never shown
        text = text[: 50 * longest] + text[-50 * longest :]
    text = " ".join(text.split())
    tail = (longest - 5) // 2
    return text if len(text) <= longest else f"{text[: longest - 5 - tail]} ... {text[-tail:]}"


def counted(count: int, word: str) -> str:
    """A number with its word.

    >>> counted(1, "class"), counted(2, "class"), counted(0, "row")
    ('1 class', '2 classes', '0 rows')
    """
    return f"{count} {word}" if count == 1 else f"{count} {word}{'es' if word.endswith('s') else 's'}"


def nearest(wrong: object, known: Iterable[str]) -> str:
    """The repair for a word that is not one of those that the rule lists."""
    near = get_close_matches(str(wrong)[:ITEM], list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else "take one of these"


def suggestion(wrong: str, known: Iterable[str]) -> str:
    """The repair for an unknown name: the nearest known one, in any case, then the list."""
    names = [one_line(name, ITEM) for name in known]
    by_letters = {name.casefold(): name for name in reversed(names)}
    near = [by_letters[name] for name in get_close_matches(wrong[:ITEM].casefold(), list(by_letters), n=1)]
    listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return (f"did you mean {near[0]!r}? " if near else "") + (f"known: {listed}" if names else "none is known")


def missing_package(item: str, error: ModuleNotFoundError, packages: str) -> ModelError:
    """The error of a command whose package is not installed: which package, and how to install it."""
    package = str(error.name).partition(".")[0]
    return ModelError(item, f"needs the package {package}", f"run: python -m pip install {packages}")
