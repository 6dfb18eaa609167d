"""The same checks when a model is built in Python, where more can be wrong than in a file."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from qnsolve import AdmissionLimit, ClosedClass, Delay, LoadDependent, ModelError, Network, OpenClass, Queue, solve

from tests.support import zoo

QUERY = ClosedClass("query", population=3, demands={"cpu": 0.5})
CPU = Queue("cpu")

WRONG: dict[str, tuple[Callable[[], object], tuple[str, ...]]] = {
    "no stations": (lambda: Network([], [QUERY]), ("stations", "[]", "must not be empty")),
    "no classes": (lambda: Network([CPU], []), ("classes", "[]", "must not be empty")),
    "stations a text": (lambda: Network("cpu", [QUERY]), ("stations", "'cpu'", "must be a list")),
    "one station": (lambda: Network(CPU, [QUERY]), ("stations", "must be a list", "write [first")),
    "a class among stations": (lambda: Network([QUERY], [QUERY]), ("stations", "must hold Queue, Delay, LoadDependent")),
    "a station among classes": (lambda: Network([CPU], [CPU]), ("classes", "must hold OpenClass, ClosedClass")),
    "a number among limits": (lambda: Network([CPU], [QUERY], [4]), ("limits", "= 4", "must hold AdmissionLimit")),
    "name twice": (lambda: Network([CPU, Delay("cpu")], [QUERY]), ("name", "'cpu'", "must be unique", "rename")),
    "name in another case": (lambda: Network([CPU, Delay("Cpu")], [QUERY]), ("'Cpu'", "differs only in case", "rename")),
    "unknown station": (lambda: Network([Queue("cpi")], [QUERY]), ("class 'query'", "'cpu'", "did you mean 'cpi'?")),
    "unknown unit": (
        lambda: Network([CPU], [QUERY], time_unit="h"),
        ("time_unit", "'h'", "must be one of 's', 'ms', 'us'; take one of these"),
    ),
    "unknown discipline": (lambda: Queue("cpu", discipline="FCFS"), ("station 'cpu'", "discipline", "'FCFS'")),
    "empty name": (lambda: Queue(""), ("station: name", "''", "must not be empty")),
    "name a number": (lambda: Delay(3), ("station: name", "= 3", "must be a text")),
    "servers zero": (lambda: Queue("cpu", servers=0), ("station 'cpu': servers", "= 0", "above 0")),
    "servers nan": (lambda: Queue("cpu", servers=nan), ("station 'cpu': servers", "nan", "must be finite")),
    "servers infinite": (lambda: Queue("cpu", servers=inf), ("station 'cpu': servers", "inf", "must be finite")),
    "servers complex": (lambda: Queue("cpu", servers=2j), ("station 'cpu': servers", "2j", "must be a number")),
    "servers an array": (
        lambda: Queue("cpu", servers=np.array([1, 2])),
        ("station 'cpu': servers", "array", "must be a number"),
    ),
    "rates empty": (lambda: LoadDependent("cpu", rates=[]), ("station 'cpu': rates", "[]")),
    "rates a text": (lambda: LoadDependent("cpu", rates="12"), ("station 'cpu': rates", "'12'", "must be a list")),
    "rates zero": (lambda: LoadDependent("cpu", rates=[1, 0.0]), ("rates[2]", "= 0.0", "above 0")),
    "population None": (lambda: ClosedClass("q", population=None, demands={}), ("class 'q': population", "None", "number")),
    "population huge": (lambda: ClosedClass("q", population=10**400, demands={}), ("class 'q': population", "must be finite")),
    "population and a half": (lambda: ClosedClass("q", population=2.5, demands={}), ("population", "2.5", "write 2 or 3")),
    "think time True": (lambda: ClosedClass("q", population=1, think_time=True, demands={}), ("think_time", "True")),
    "rate negative": (lambda: OpenClass("q", arrival_rate=-1, demands={}), ("class 'q': arrival_rate", "= -1", "sign")),
    "demands a list": (
        lambda: ClosedClass("q", population=1, demands=[("cpu", 1)]),
        ("class 'q': demands", "station = number"),
    ),
    "demands by number": (lambda: ClosedClass("q", population=1, demands={0: 1}), ("demands", "station name", "= 0")),
    "demand nan": (lambda: ClosedClass("q", population=1, demands={"cpu": nan}), ("demands['cpu']", "nan", "finite")),
    "both ways": (lambda: ClosedClass("q", population=1, demands={}, visits={}, service_times={}), ("'q'", "gives both")),
    "neither way": (lambda: ClosedClass("q", population=1), ("class 'q'", "gives neither", "write demands")),
    "visits alone": (lambda: ClosedClass("q", population=1, visits={"cpu": 1}), ("'q'", "give both for cpu")),
    "limit of nothing": (lambda: AdmissionLimit(0), ("limit 'limit': capacity", "= 0")),
    "limit on a text": (lambda: AdmissionLimit(4, classes="query"), ("limit 'limit': classes", "'query'", "must be a list")),
    "replace what is not there": (
        lambda: Network([CPU], [QUERY]).replace("cpi", servers=2),
        ("replace", "'cpi'", "did you mean 'cpu'?"),
    ),
    "replace an unknown part": (
        lambda: Network([CPU], [QUERY]).replace("cpu", server=2),
        ("'cpu'", "server", "must be a parameter of Queue", "did you mean 'servers'?"),
    ),
    "replace by what is wrong": (lambda: Network([CPU], [QUERY]).replace("cpu", servers=0), ("station 'cpu': servers", "= 0")),
    "replace so that a name is gone": (lambda: Network([CPU], [QUERY]).replace("cpu", name="disk"), ("class 'query'", "'cpu'")),
    "unknown method": (
        lambda: solve(Network([CPU], [QUERY]), method="convolutin"),
        ("method", "'convolutin'", "did you mean 'convolution'?"),
    ),
    "method None": (lambda: solve(Network([CPU], [QUERY]), method=None), ("method", "None", "must be one of auto")),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_models(name: str) -> None:
    """A wrong model is refused while it is built, on one line that names item, value and repair."""
    build, parts = WRONG[name]
    with pytest.raises(ModelError) as info:
        build()
    line = str(info.value)
    assert "\n" not in line
    for part in parts:
        assert part in line
    assert info.value.repair.strip()
    assert info.value.file is None


def test_numbers_of_any_kind() -> None:
    """Whole numbers may be floats, and numbers may be numpy's or fractions."""
    model = Network(
        [Queue("cpu", servers=np.int64(2)), LoadDependent("pool", rates=np.array([1.0, 1.5]))],
        [ClosedClass("query", population=60.0, think_time=np.float32(2), demands={"cpu": Fraction(1, 4), "pool": 1})],
    )
    assert model.classes[0].population == 60
    assert isinstance(model.classes[0].population, int)
    assert model.stations[1].rates == (1.0, 1.5)
    plain = Network(
        [Queue("cpu", servers=2), LoadDependent("pool", rates=[1.0, 1.5])],
        [zoo.closed("query", 60, 2.0, cpu=0.25, pool=1.0)],
    )
    assert model == plain
    assert solve(model)["query"].throughput == solve(plain)["query"].throughput


def test_sequences_of_any_kind() -> None:
    """Stations and classes may come from a generator, and are kept as tuples."""
    model = Network((s for s in [CPU]), iter([QUERY]))
    assert model.stations == (CPU,)
    assert model.classes == (QUERY,)
