"""Load and save networks and systems: TOML, JSON and JMVA."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from qnsolve.errors import ModelError
from qnsolve.model import checks
from qnsolve.model.network import Network
from qnsolve.results.solution import Solution

from .model_file import network_from_data, network_to_data
from .text import FORMATS, decoded, form_of, parsed, read, toml_text
from .writing import write_text

if TYPE_CHECKING:
    from qnsolve.zos.solve_system import System

SYSTEM_PARTS = ("lpars", "regions", "work", "coupling_facilities", "loggers", "devices")


def load(path: str | os.PathLike[str] | IO[bytes] | IO[str]) -> Network | System:
    """The network or system of a file.

    Parameters
    ----------
    path : path or open file
        `.json` means JSON, `.toml` TOML, `.jmva` JMVA, the format of the
        Java Modelling Tools; otherwise a text that starts with { is JSON, with < JMVA, else TOML.

    Returns
    -------
    Network or System
        A System where the file has LPARs, regions or work.

    Raises
    ------
    ModelError
        Where the file cannot be read or the model is wrong.

    Warns
    -----
    ImportNote
        Where a part of a JMVA file, such as its what-if section, was left out or a value
        assumed. The command line prints these notes; the results remain right.
    """
    if isinstance(path, str | os.PathLike):
        name, suffix, raw = os.fspath(path), Path(path).suffix, read(path)
    elif not callable(getattr(path, "read", None)):
        raise ModelError("path", "must be the path of a file, or an open file", "write its name in quotes", path)
    else:
        name, suffix = str(getattr(path, "name", "stream")).replace("<stdin>", "standard input"), ""
        held = path.read()
        raw = held.encode() if isinstance(held, str) else held
    try:
        form = form_of(suffix, raw)
        if form == "jmva":
            return _from_jmva(raw, f"{name}: ")
        return loads(decoded(raw), format=form)
    except ModelError as error:
        raise error.in_file(name) from error.__cause__


def loads(text: str, format: str = "toml") -> Network | System:
    r"""A Network or a System from the text of its file.

    Parameters
    ----------
    text : str
    format : {"toml", "json", "jmva"}, default "toml"

    Raises
    ------
    ModelError

    Warns
    -----
    ImportNote

    Examples
    --------
    >>> loads('stations = [{name = "cpu"}]\n'
    ...       'classes = [{name = "query", population = 3, demands = {cpu = 0.2}}]').classes[0].population
    3
    >>> loads('lpars = [{name = "PROD", processors = 8}]\n'
    ...       'regions = [{name = "AOR1", lpar = "PROD"}]\n'
    ...       'work = [{name = "inquiry", rate = 100, regions = "AOR1", qr_cpu = 0.001}]').lpars[0].processors.engines
    8.0
    """
    checks.choice("format", format, FORMATS)
    if not isinstance(text, str):
        raise ModelError("text", "must be the text of a file", "qnsolve.load(file) reads a file", text)
    if format == "jmva" and text.strip():
        return _from_jmva(text)
    data = parsed(text, format)
    if isinstance(data, Mapping) and any(part in data for part in SYSTEM_PARTS):
        from .system_file import system_from_data  # imported here, because networks do not need the mainframe parts

        return system_from_data(data)
    return network_from_data(data)


def dumps(model: Network | System | Solution, format: str = "toml") -> str:
    """The text of a model file or a system file; `loads` gives the same model back.

    Parameters
    ----------
    model : Network, System or Solution
        Of a solution, JMVA takes the results too; the other formats hold no results.
    format : {"toml", "json", "jmva"}, default "toml"

    Raises
    ------
    ModelError
        Where JMVA has no place for a part of the model.
    """
    checks.choice("format", format, FORMATS)
    if isinstance(model, Solution):
        if format != "jmva":
            raise ModelError("format", "cannot hold results", "save result.model, and result.to_csv() beside it", format)
        return _to_jmva(model.model, model)
    if isinstance(model, Network):
        return _to_jmva(model) if format == "jmva" else _text(network_to_data(model), format)
    from qnsolve.zos.solve_system import System

    from .system_file import system_to_data

    if not isinstance(model, System):
        raise ModelError("model", "must be a Network, a System or a Solution", "pass one of them", model)
    if format == "jmva":
        raise ModelError("format", "cannot hold systems", "save it as TOML or JSON", format)
    return _text(system_to_data(model), format)


def save(model: Network | System | Solution, path: str | os.PathLike[str]) -> None:
    """Write a model file or a system file; a write that fails leaves the old file as it was.

    Parameters
    ----------
    model : Network, System or Solution
        As `dumps` takes them.
    path : path
        JSON where the name ends in .json, JMVA in .jmva, TOML otherwise.

    Raises
    ------
    ModelError
        Where JMVA has no place for a part of the model.
    OSError
        Where the file cannot be written.
    """
    text = dumps(model, format={".json": "json", ".jmva": "jmva"}.get(Path(path).suffix.lower(), "toml"))
    write_text(path, text)


def _text(data: dict[str, Any], format: str) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n" if format == "json" else toml_text(data)


def _network(text: str) -> Network:
    return network_from_data(parsed(text, "json"))


def _from_jmva(text: str | bytes, prefix: str = "") -> Network:
    from . import jmva

    return jmva.load(text, _network, prefix)


def _to_jmva(model: Network, solution: Solution | None = None) -> str:
    from . import jmva

    kept = json.dumps(network_to_data(model)).replace(">", "\\u003e")  # no ?> inside
    return jmva.write(model, kept, solution)
