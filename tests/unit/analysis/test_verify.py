"""Simulation: it finds the exact answers, Ciw finds the same, and a wrong figure is seen."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.methods.arrays import from_network
from qnsolve.methods.job_process import job_process
from qnsolve.numerics.least_squares import student
from qnsolve.numerics.random_times import spread
from qnsolve.simulation.network_simulation import simulate
from qnsolve.simulation.network_stations import Streams
from scipy import stats

from tests.support.zoo import closed, opened

CPU, DISK, NET = qn.Queue("cpu"), qn.Queue("disk", servers=2), qn.Delay("net")
PAIR = [closed("a", 3, 1.0, cpu=1.0, disk=0.8), closed("b", 4, 2.0, cpu=0.5, disk=1.2)]
RANKED = [PAIR[0], dataclasses.replace(PAIR[1], priority=2)]


def _first(discipline: str, servers: int = 2) -> list[qn.Queue]:
    return [qn.Queue("cpu", servers=servers, discipline=discipline), DISK]


MODELS = {
    "open": qn.Network([CPU, DISK, NET], [opened("a", 0.5, cpu=0.9, disk=1.0, net=3.0), opened("b", 0.2, cpu=0.8)]),
    "closed": qn.Network([CPU, DISK, NET], [closed("a", 6, 2.0, cpu=0.5, disk=1.0, net=0.3)]),
    "no think time": qn.Network([CPU, DISK], PAIR),
    "mixed": qn.Network([CPU, DISK], [PAIR[0], opened("web", 0.3, cpu=0.4, disk=1.0)]),
    "load-dependent": qn.Network([qn.LoadDependent("cpu", rates=[1.0, 1.5, 1.2]), DISK], PAIR),
    "fcfs": qn.Network(_first("fcfs"), PAIR),
    "preemptive": qn.Network(_first("preemptive"), RANKED),
    "preemptive, one server": qn.Network(_first("preemptive", 1), RANKED),
    "nonpreemptive": qn.Network(_first("nonpreemptive"), RANKED),
    "limits": qn.Network(
        [CPU, DISK], PAIR, [qn.AdmissionLimit(3), qn.AdmissionLimit(1, classes=["b"], stations=["disk"], name="inner")]
    ),
    "visits": qn.Network(
        [CPU, DISK],
        [
            qn.ClosedClass("a", population=4, visits={"cpu": 3, "disk": 2}, service_times={"cpu": 0.3, "disk": 0.5}),
            qn.ClosedClass(
                "b", population=2, think_time=1.0, visits={"cpu": 0.2, "disk": 0.3}, service_times={"cpu": 2, "disk": 1}
            ),
        ],
    ),
    "insensitive": qn.Network(
        [CPU, DISK, NET],
        [
            qn.ClosedClass(
                "a",
                population=4,
                demands={"cpu": 0.5, "disk": 1.0, "net": 2.0},
                service_variation={"cpu": 4, "disk": 0, "net": 0.3},
            )
        ],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_exact_answers_are_found(name: str) -> None:
    """Every figure of an exact answer lies in the interval that a simulation gives it."""
    result = qn.verify(MODELS[name], method="exact", jobs=60_000, seed=2)
    assert result.solution.exact
    assert result.agrees, str(result)
    always = {"throughput", "response_time", "utilization", "queue_length", "residence_time"}
    limits = {"number_outside", "admission_wait", "fraction_delayed", "delayed_wait"} if MODELS[name].limits else set()
    assert {c.quantity for c in result.comparisons} == always | limits
    half = [c.half_width / c.simulated for c in result.comparisons if c.quantity == "throughput"]
    assert max(half) < 0.04


def test_markov_takes_fewer_visits_than_one() -> None:
    """Where a class makes a visit in half of its cycles the chain agrees with the product form."""
    model = MODELS["visits"]
    for c in model.classes:
        assert qn.solve(model, method="markov")[c.name].throughput == pytest.approx(
            qn.solve(model)[c.name].throughput, rel=1e-12
        )


BLOCKED = {
    "blocked": qn.Network(
        [qn.Queue("cpu", servers=2, capacity=3), qn.Queue("disk", discipline="fcfs", capacity=2), NET],
        [opened("a", 0.5, cpu=0.9, disk=0.8, net=1.0)],
    ),
    "blocked outside": qn.Network(
        [qn.Queue("cpu", discipline="fcfs", capacity=1), qn.Queue("disk", capacity=2)], [closed("a", 4, 1.0, cpu=0.5, disk=0.6)]
    ),
}


@pytest.mark.parametrize(
    ("simulator", "name"),
    [
        *(("events", name) for name in MODELS | BLOCKED),
        *(("ciw", name) for name in ("open", "fcfs", "preemptive", "nonpreemptive", "visits", "insensitive")),
    ],
)
def test_a_short_simulation_is_near(simulator: str, name: str) -> None:
    """A thousand jobs already find every throughput and response time within 40 %."""
    result = qn.verify((MODELS | BLOCKED)[name], jobs=1_000 if simulator == "ciw" else 2_000, simulator=simulator)
    some = [c for c in result.comparisons if c.quantity in ("throughput", "response_time")]
    assert some
    for c in some:
        assert c.simulated == pytest.approx(c.solved, rel=0.4)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in MODELS if n not in ("load-dependent", "limits")])
def test_ciw_finds_the_same(name: str) -> None:
    """Ciw, which is not of our making, agrees with the exact answers in the models that it takes."""
    result = qn.verify(MODELS[name], method="exact", jobs=8_000, simulator="ciw")
    assert result.agrees, str(result)
    assert "Ciw" in result.heading


GENERAL = {
    "batches": qn.OpenClass("a", arrival_rate=0.5, batch_size=2.6, batch_variation=0.4, demands={"cpu": 1.0}),
    "regular": qn.OpenClass(
        "a", arrival_rate=0.7, arrival_variation=0.0, demands={"cpu": 1.0}, service_variation={"cpu": 0.25}
    ),
    "bursts": qn.OpenClass("a", arrival_rate=0.6, arrival_variation=3.0, demands={"cpu": 1.0}, service_variation={"cpu": 2.0}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERAL)
def test_both_simulators_agree_on_general_times(name: str) -> None:
    """Times and batches of any variation: two simulations, of different makers, find the same queue."""
    model = qn.Network([qn.Queue("cpu", discipline="fcfs")], [GENERAL[name]])
    ours, theirs = (qn.verify(model, jobs=n, simulator=s) for n, s in ((100_000, "events"), (20_000, "ciw")))
    for a, b in zip(ours.comparisons, theirs.comparisons, strict=True):
        assert abs(a.simulated - b.simulated) < 1.7 * (a.half_width**2 + b.half_width**2) ** 0.5 + 1e-12


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("poisson batches", qn.stations.batch(0.5, 1.0, 2.6, 0.4)),
        ("constant", qn.stations.mg1(0.7, 1.0, 0.0)),
        ("wide", qn.stations.mg1(0.5, 1.0, 4.0)),
    ],
)
def test_one_station_as_in_the_textbooks(kind: str, form: qn.stations.StationForm) -> None:
    """M/G/1 and M[X]/M/1 come out of the simulation."""
    variation = {"poisson batches": 1.0, "constant": 0.0, "wide": 4.0}[kind]
    size = {"batch_size": 2.6, "batch_variation": 0.4} if kind == "poisson batches" else {}
    job = qn.OpenClass("a", arrival_rate=form.throughput, demands={"cpu": 1.0}, service_variation={"cpu": variation}, **size)
    result = qn.verify(qn.Network([qn.Queue("cpu", discipline="fcfs")], [job]), jobs=200_000)
    found = next(c for c in result.comparisons if c.quantity == "response_time")
    assert abs(found.simulated - form.response_time) < 1.7 * found.half_width
    assert found.solved == pytest.approx(form.response_time, rel=1e-9)


def test_a_wrong_figure_is_seen() -> None:
    """A solution that is not of the model differs; the sentence says where most."""
    model = qn.Network([CPU], [closed("a", 3, 1.0, cpu=1.0)])
    solution = qn.solve(model)
    wrong = dataclasses.replace(solution, classes=(dataclasses.replace(solution.classes[0], response_time=2.0),))
    result = qn.verify(wrong, jobs=20_000)
    assert not result.agrees
    assert [c.quantity for c in result.comparisons if c.verdict == "differs"] == ["response_time"]
    assert "1 differ: most the response time of a at total" in str(result)


def test_the_seed_decides() -> None:
    """The same seed gives the same figures, another seed others."""
    model = MODELS["mixed"]
    first, again, other = (qn.verify(model, jobs=2_000, seed=s) for s in (5, 5, 6))
    assert first.comparisons == again.comparisons
    assert first.comparisons != other.comparisons


SAME = """
import sys
if {plain}:
    sys.modules["numba"] = None
import qnsolve as qn
from qnsolve.methods.arrays import from_network
from qnsolve.methods.job_process import job_process
from qnsolve.simulation.compiling import COMPILES
from qnsolve.simulation.network_simulation import simulate
from qnsolve.simulation.network_stations import Streams
assert COMPILES is not {plain}
kinds = ("ps", "fcfs", "preemptive", "nonpreemptive")
stations = [qn.Queue(kind, servers=2, discipline=kind) for kind in kinds]
stations += [qn.LoadDependent("slow", rates=[1.0, 1.5, 1.2]), qn.Delay("net")]
places = [*kinds, "slow", "net"]
classes = [
    qn.ClosedClass("a", population=9, think_time=1.0, demands=dict.fromkeys(places, 0.1),
                   service_variation={{"ps": 4, "fcfs": 0}}),
    qn.ClosedClass("b", population=5, priority=2, visits=dict.fromkeys(places, 0.5), service_times=dict.fromkeys(places, 0.3)),
    qn.OpenClass("c", arrival_rate=2.0, arrival_variation=0.4, batch_size=2.5, batch_variation=0.3, priority=3,
                 demands=dict.fromkeys(places, 0.1)),
]
limits = [qn.AdmissionLimit(8), qn.AdmissionLimit(3, classes=["a", "b"], stations=["fcfs", "ps"], name="inner")]
lines = [qn.Queue("cpu", servers=2, capacity=3), qn.Queue("disk", discipline="fcfs", capacity=2), qn.Delay("net")]
open_ = qn.OpenClass("a", arrival_rate=0.6, demands={{"cpu": 0.9, "disk": 0.8, "net": 1.0}})
outside = [qn.Queue("cpu", discipline="fcfs", capacity=1), qn.Queue("disk", capacity=2)]
rest = qn.ClosedClass("a", population=4, think_time=1.0, demands={{"cpu": 0.5, "disk": 0.6}})
busy = qn.ClosedClass("a", population=2, demands={{"cpu": 0.5, "disk": 0.6}})
fast = qn.Network([qn.Queue("cpu")], [qn.OpenClass("a", arrival_rate=1.5, demands={{"cpu": 1.0}})])
for model in (qn.Network(stations, classes, limits), qn.Network(lines, [open_]), qn.Network(outside, [rest]),
              qn.Network(outside, [busy]), fast):
    found = simulate(job_process(from_network(model)), 3000, 3, 1)
    print([part.tolist() if hasattr(part, "tolist") else part for part in vars(found).values()])
"""


def test_without_numba_it_is_the_same() -> None:
    """Compiled or not: each count and each integral is the same to the last digit, whatever the stations and limits."""
    compiled_run, plain_run = (
        subprocess.run(
            [sys.executable, "-c", SAME.format(plain=plain)], capture_output=True, text=True, check=True, timeout=300
        )
        for plain in (False, True)
    )
    assert compiled_run.stdout == plain_run.stdout
    assert compiled_run.stdout.count("\n") == 5


def test_jobs_that_block_each_other_are_reported() -> None:
    """Three jobs in three places, each waiting for the place of another: one line, and no loop without end."""
    stations = [qn.Queue("cpu", discipline="fcfs", capacity=1), qn.Queue("disk", capacity=2)]
    model = qn.Network(stations, [qn.ClosedClass("a", population=3, demands={"cpu": 0.5, "disk": 0.6})])
    with pytest.raises(qn.ModelError, match="wait for each other"):
        simulate(job_process(from_network(model)), 1000, 2, 1)


def test_short_runs_say_so() -> None:
    """Where the interval is wide the verdict is that the simulation is too short."""
    model = qn.Network([CPU], [opened("a", 0.95, cpu=1.0)])
    result = qn.verify(model, jobs=2_000, seed=2)
    assert {c.verdict for c in result.comparisons} >= {"too short"}
    assert "take more jobs" in str(result)


@pytest.mark.parametrize(
    ("item", "given"), [("jobs", {"jobs": 10}), ("seed", {"seed": -1}), ("simulator", {"simulator": "simpy"})]
)
def test_wrong_requests(item: str, given: dict[str, object]) -> None:
    """A wrong number of jobs, seed or simulator is one line that names it."""
    with pytest.raises(qn.ModelError, match=item):
        qn.verify(MODELS["open"], **given)  # type: ignore[arg-type]


def test_nobody_moves() -> None:
    """Without a job there is nothing to simulate."""
    with pytest.raises(qn.ModelError, match="must have a class with jobs"):
        qn.verify(qn.Network([CPU], [closed("a", 0, 1.0, cpu=1.0)]))


@pytest.mark.parametrize("name", ["load-dependent", "limits"])
def test_ciw_refuses(name: str) -> None:
    """What Ciw does not have is refused, and the other simulator named."""
    with pytest.raises(qn.NoMethodError, match="take simulator 'events'"):
        qn.verify(MODELS[name], simulator="ciw")


def test_without_ciw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Ciw is not installed one line says what to install."""
    monkeypatch.setitem(sys.modules, "ciw", None)
    with pytest.raises(qn.ModelError, match="needs the package ciw; run: python -m pip install ciw"):
        qn.verify(MODELS["open"], simulator="ciw")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`qnsolve verify` prints a table, one JSON object or CSV, with the same rows."""
    file = tmp_path / "site.toml"
    qn.save(MODELS["closed"], file)
    assert main(["verify", str(file), "--jobs", "5000", "--seed", "4"]) == 0
    text = capsys.readouterr().out
    assert "figures agree" in text
    assert main(["verify", str(file), "--jobs", "5000", "--seed", "4", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["simulator"], data["jobs"], data["seed"], data["agrees"]) == ("events", 5000, 4, True)
    assert set(data["rows"][0]) == {
        "class",
        "station",
        "quantity",
        "verdict",
        "solved",
        "simulated",
        "half_width",
        "difference",
    }
    assert main(["verify", str(file), "--jobs", "5000", "--seed", "4", "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(data["rows"]) + 1
    assert main(["verify", str(file), "--jobs", "10"]) == 2
    assert "jobs = 10" in capsys.readouterr().err


@pytest.mark.parametrize("variation", [0.0, 0.3, 1.0, 2.0, 9.0])
def test_times_have_their_two_moments(variation: float) -> None:
    """Mean and squared coefficient of variation of what is drawn are those asked for."""
    streams = Streams(np.random.default_rng(1))
    stream = streams.times(variation)
    assert (stream == -1) == (variation == 0)
    found = np.ones(1) if stream < 0 else streams.draws[stream](400_000)
    assert found.mean() == pytest.approx(1.0, rel=0.025)
    assert found.var() == pytest.approx(variation, rel=0.05)


@pytest.mark.parametrize(
    ("mean", "variation"), [(1.0, 0.0), (2.0, 0.0), (2.5, 0.04), (2.6, 0.5), (1.001, 3.0), (40.0, 0.9), (3.0, 1e4)]
)
def test_batch_sizes_have_their_two_moments(mean: float, variation: float) -> None:
    """Batches are of whole jobs, one at least, with exactly the mean and the variation asked for."""
    values, shares = map(np.array, spread(mean, variation))
    assert values.min() >= 1
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1, rel=1e-12)
    assert shares @ values == pytest.approx(mean, rel=1e-9)
    assert shares @ values**2 / mean**2 - 1 == pytest.approx(variation, rel=1e-6, abs=1e-12)
    streams = Streams(np.random.default_rng(1))
    stream, most = streams.sizes(mean, variation)
    assert most == max(values[shares > 0]) if stream < 0 else set(streams.draws[stream](100)) <= set(values)


@pytest.mark.parametrize("probability", [0.6, 0.95, 0.975, 0.999, 0.99999])
def test_student(probability: float) -> None:
    """Quantiles of Student's t with 24 degrees of freedom, against scipy."""
    assert student(probability, 24) == pytest.approx(stats.t.ppf(probability, 24), rel=2e-4)


def test_sharing_keeps_its_digits() -> None:
    """A station that is never empty gives each job the work it asked for, to the last digits, after a long time."""
    model = qn.Network([CPU, NET], [closed("hog", 1, cpu=1e6), closed("small", 1, 1e-3, cpu=1e-3)])
    found = simulate(job_process(from_network(model)), 20_000, 5, 1)
    response = found.area[:, 1, 0].sum() / found.finished[:, 1].sum()
    assert response == pytest.approx(2e-3, rel=0.03)
