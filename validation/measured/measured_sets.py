"""The measured sets as data: ladders of loads, and intervals of several classes."""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MEASURED = Path(__file__).parent
MIDDLEWARES = {"egli_one_mw": 1, "egli_one_mw_3clients": 1, "egli_two_mw_3clients": 2, "egli_writes_full": 2}


@dataclass(frozen=True)
class Ladder:
    """Rows of one system at several loads, the lowest first; arrays of shape (n,), None where not measured.

    Attributes
    ----------
    name, file : str
    family : str
        Sets that differ in their number of threads only.
    loads, rates : ndarray
        N [count] and X.
    responses, busy, deviations : ndarray or None
        R [s]; threads held [0..1]; standard deviation of X.
    threads : int or None
        Threads that serve [count].
    """

    name: str
    file: str
    family: str
    loads: Array
    rates: Array
    responses: Array | None = None
    busy: Array | None = None
    deviations: Array | None = None
    threads: int | None = None


@dataclass(frozen=True)
class Intervals:
    """Intervals in the order of time; arrays of shape (n,).

    Attributes
    ----------
    name, file : str
    rates : dict of str to ndarray
        By class [1/s].
    busy : ndarray
        Utilization of each processor [0..1].
    servers : int
        Processors [count].
    seconds : float
        Length of an interval [s].
    responses : dict of str to ndarray or None
        By class [s].
    captured : ndarray or None
        Processors charged to the work [count].
    """

    name: str
    file: str
    rates: dict[str, Array]
    busy: Array
    servers: int
    seconds: float
    responses: dict[str, Array] | None = None
    captured: Array | None = None


def origins() -> dict[str, dict[str, Any]]:
    """Where each file comes from."""
    return tomllib.loads((MEASURED / "origins.toml").read_text(encoding="utf-8"))


@cache
def ladders() -> tuple[Ladder, ...]:
    """Every ladder."""
    found = [each for file in MIDDLEWARES for each in _middleware(file)]
    rows = _rows("asl2016_middleware")
    found.append(
        Ladder("asl2016", "asl2016_middleware", "", *_columns(rows, "clients", "throughput_per_s"), _ms(rows, "response_ms"))
    )
    for name, load in (("usl_raytracer", "processors"), ("usl_specsdm91", "load")):
        found.append(Ladder(name.removeprefix("usl_"), name, "", *_columns(_rows(name), load, "throughput")))
    file = "techempower_r6_fortune_i7"
    for framework, rows in _groups(_rows(file), "framework").items():
        loads, rates = _columns(rows, "connections", "throughput_per_s_at_15s")
        found.append(Ladder(f"techempower {framework[0]}", file, "", loads, rates, _ms(rows, "response_avg_ms")))
    return tuple(found)


@cache
def intervals() -> tuple[Intervals, ...]:
    """Every set of intervals."""
    rows, file = _rows("usl_oracledb"), "usl_oracledb"
    rates = {name: _column(rows, f"{name}_rate") for name in ("call", "exec", "lio", "txn")}
    database, host = _column(rows, "cpu_time"), _column(rows, "cpu_util") / 100
    found = [
        Intervals("oracledb, processors of the database", file, rates, database / 4, 4, 120.0),
        Intervals("oracledb, processors of the host", file, rates, host, 4, 120.0, captured=database),
    ]
    rows, file = _rows("librede_experiment1_30s"), "librede_experiment1_30s"
    names = ("WC0", "WC1", "WC2")
    rates = {name: _column(rows, f"rate_{name}") for name in names}
    responses = {name: _column(rows, f"mean_response_s_{name}") for name in names}
    return (*found, Intervals("librede", file, rates, _column(rows, "cpu_util"), 1, 30.0, responses))


def _middleware(file: str) -> list[Ladder]:
    found = []
    for (workload, threads), rows in _groups(_rows(file), "workload", "worker_threads").items():
        loads, rates = _columns(rows, "clients", "throughput_per_s")
        pool = int(threads) * MIDDLEWARES[file]
        held = _column(rows, "mw_throughput_per_s") * _ms(rows, "mw_service_ms")  # threads held, by Little's law
        found.append(
            Ladder(
                f"{file.removeprefix('egli_')} {workload} {threads}",
                file,
                f"{file} {workload}",
                loads,
                rates,
                _ms(rows, "response_ms"),
                np.minimum(held / pool, 1.0),
                _column(rows, "throughput_sd"),
                pool,
            )
        )
    return found


def _rows(file: str) -> list[dict[str, str]]:
    with (MEASURED / f"{file}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _groups(rows: list[dict[str, str]], *columns: str) -> dict[tuple[str, ...], list[dict[str, str]]]:
    found: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        found.setdefault(tuple(row[column] for column in columns), []).append(row)
    return found


def _column(rows: list[dict[str, str]], name: str) -> Array:
    return np.array([float(row[name]) for row in rows])


def _ms(rows: list[dict[str, str]], name: str) -> Array:
    return _column(rows, name) / 1000


def _columns(rows: list[dict[str, str]], first: str, second: str) -> tuple[Array, Array]:
    return _column(rows, first), _column(rows, second)
