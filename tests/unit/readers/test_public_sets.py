"""The sets that others measured, as the project has them: read as they are, or with one --map."""

from __future__ import annotations

import csv

import numpy as np
import pytest
import qnsolve as qn

from tests import ROOT

SETS = ROOT / "validation" / "measured"


def _column(name: str, heading: str) -> list[float]:
    with (SETS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [float(row[heading]) for row in csv.DictReader(file)]


@pytest.mark.parametrize("name", ["asl2016_middleware", "usl_specsdm91"])
def test_a_ladder(name: str) -> None:
    """Loads and rates, and responses in milliseconds where they are there."""
    found = qn.measure.read(SETS / f"{name}.csv")
    load, rate = ("clients", "throughput_per_s") if name.startswith("asl") else ("load", "throughput")
    assert found.column("users").tolist() == _column(name, load)
    assert found.column("rate").tolist() == _column(name, rate)
    if name.startswith("asl"):
        assert found.column("response_time") * 1000 == pytest.approx(_column(name, "response_ms"))


def test_processors() -> None:
    """Throughput by processors."""
    found = qn.measure.read(SETS / "usl_raytracer.csv")
    assert found.column("servers").tolist() == _column("usl_raytracer", "processors")


@pytest.mark.parametrize("name", ["egli_one_mw", "egli_one_mw_3clients", "egli_two_mw_3clients", "egli_writes_full"])
def test_a_middleware_with_threads(name: str) -> None:
    """Each row stays; kinds of work have columns of their own, threads are servers, the middleware has its own figures."""
    found = qn.measure.read(SETS / f"{name}.csv")
    rates = [found.column("rate", work) for work in ("read", "write") if found.has("rate", work)]
    assert np.nansum(rates, axis=0).tolist() == _column(name, "throughput_per_s")
    servers = [found.column("servers", work=work) for work in ("read", "write") if found.has("servers", work=work)]
    assert np.nansum(servers, axis=0).tolist() == _column(name, "worker_threads")
    waits = [found.column("wait", f"{work} mw") for work in ("read", "write") if found.has("wait", f"{work} mw")]
    assert np.nansum(waits, axis=0) * 1e6 == pytest.approx(_column(name, "mw_queue_wait_us"))
    assert "'throughput_sd'" in " ".join(found.notes)


def test_frameworks() -> None:
    """Each framework is a class of its own rows; the rate at 15 s is a rate."""
    found = qn.measure.read(SETS / "techempower_r6_fortune_i7.csv")
    assert found.values.shape == (54, 36)
    assert np.nansum([found.column("rate", work) for work in found.names("rate")], axis=0).tolist() == _column(
        "techempower_r6_fortune_i7", "throughput_per_s_at_15s"
    )


def test_three_classes_on_one_host() -> None:
    """Epoch times, lengths from the ends, names behind the quantities."""
    found = qn.measure.read(SETS / "librede_experiment1_30s.csv")
    assert found.names("rate") == found.names("response_time") == ("WC0", "WC1", "WC2")
    assert set(found.length) == {30.0}
    assert str(found.start[0]) == "2013-06-01T11:52:30.000"
    assert found.column("busy", "cpu").tolist() == _column("librede_experiment1_30s", "cpu_util")


def test_a_database() -> None:
    """CPU seconds a second are told by --map; call rates are classes; the utilization is in percent."""
    found = qn.measure.read(SETS / "usl_oracledb.csv", columns={"db.used": "cpu_time", "db.in_system": "db_time"})
    assert found.names("rate") == ("call", "exec", "lio", "txn")
    assert found.column("used", "db").tolist() == _column("usl_oracledb", "cpu_time")
    assert found.column("busy", "cpu") * 100 == pytest.approx(_column("usl_oracledb", "cpu_util"))
    assert set(found.length) == {120.0}
