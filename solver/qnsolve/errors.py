"""The errors of qnsolve: each is one line, and each knows its exit code."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from enum import Enum, auto


class QnsolveError(Exception):
    """Base of all errors. `exit_code` is what the command line returns for it."""

    exit_code = 1


class Repair(Enum):
    """Repairs that a front end words in its own way: a sheet has cells and columns in place of keys and quotes."""

    TEXT = auto()  # a text where something else stands
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
    """The model is wrong: names file, item, value, rule and repair in one line.

    Parameters
    ----------
    item : str
        What is wrong, as the user knows it: "class 'query': think_time".
    rule : str
        What must hold.
    repair : str
        What to do about it.
    value : object, optional
        The offending value; left out of the message where there is none.
    code : Repair, optional
        The repair by its kind, where a front end words it in its own way; `repair` is the wording for a model file.
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
        item = self.item if self.value is self.NO_VALUE else f"{self.item} = {_short(self.value)}"
        parts = [part for part in (self.file, item, f"{self.rule}; {self.repair}") if part]
        return one_line(": ".join(parts))


class SaturatedError(QnsolveError):
    """An open class asks a station for more than it can serve.

    Attributes
    ----------
    station, class_name : str
        The most loaded station, and the class that loads it most ("" without classes).
    utilization : float
        What the utilization would have to be [per server; 1 or more].
    highest_rate : float
        The rate below which that class must stay, the others unchanged [jobs/time].
    """

    exit_code = 3

    def __init__(self, station: str, utilization: float, highest_rate: float, repair: str, class_name: str = "") -> None:
        self.station, self.utilization = station, utilization
        self.class_name, self.highest_rate = class_name, highest_rate
        who = f"class {class_name!r} loads it most and " if class_name else ""
        super().__init__(
            one_line(f"station {station!r} is saturated: utilization {utilization:.6g} must stay below 1; {who}{repair}")
        )


class NoMethodError(QnsolveError):
    """No method that was asked for accepts the model; `reasons` tells for each why not."""

    exit_code = 3

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self.reasons = dict(reasons)
        told = dict.fromkeys(self.reasons.values())
        if len(self.reasons) == 1:
            text = "; ".join(f"method {name} does not accept this model: {why}" for name, why in self.reasons.items())
        elif len(told) == 1:
            text = f"not supported yet by any method: {', '.join(told)}"
        else:  # what is about this model first, what is about another kind of model last
            ordered = sorted(self.reasons.items(), key=lambda item: item[1].startswith("for "))
            text = "no method accepts this model: " + "; ".join(f"{name}: {why}" for name, why in ordered)
        super().__init__(one_line(text))


class ConvergenceError(QnsolveError):
    """An iteration did not reach its tolerance; `residual` is what it reached."""

    exit_code = 4

    def __init__(self, message: str, residual: float) -> None:
        self.residual = residual
        reached = f"residual {residual:.3g}" if math.isfinite(residual) else "it ran away"
        super().__init__(one_line(f"{message} ({reached})"))


class LawError(QnsolveError):
    """A computed answer breaks a law of queueing and is therefore not handed out."""

    exit_code = 4


class ApproximationWarning(UserWarning):
    """An approximate method was used outside the range its error was measured in."""


class ImportNote(UserWarning):
    """A file of another program was read, and a part of it was left out or had to be assumed."""


def _short(value: object, most: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."


def one_line(text: str) -> str:
    """`text` with every run of white space, line breaks included, made one blank."""
    return " ".join(text.split())


def nearest(wrong: object, known: Iterable[str]) -> str:
    """The repair for a word that is not one of those just listed."""
    near = get_close_matches(str(wrong), list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else "take one of these"


def suggestion(wrong: str, known: Iterable[str]) -> str:
    """The repair for a name that is not known: the nearest one, then the list."""
    names = list(known)
    near = get_close_matches(wrong, names, n=1)
    listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return (f"did you mean {near[0]!r}? " if near else "") + (f"known: {listed}" if names else "none is known")


def missing_package(item: str, error: ModuleNotFoundError, packages: str) -> ModelError:
    """The error of a command that needs a package which is not installed: which, and how to install it."""
    package = str(error.name).partition(".")[0]
    return ModelError(item, f"needs the package {package}", f"run: python -m pip install {packages}")
