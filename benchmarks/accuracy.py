"""The error of each approximate method against exact answers, by family of models.

`python -m benchmarks.accuracy` prints the table that the package carries; with
`--write` it replaces solver/qnsolve/methods/measured_errors.csv, the table in the README here, and accuracy_sample.csv:
the same errors of every tenth model of the families that take long, which the slow tests find again.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import qnsolve as qn

from benchmarks.families import blocking_families, limit_families, priority_families

MODELS = 500  # of a family
TABLE = Path(__file__).parents[1] / "solver" / "qnsolve" / "methods" / "measured_errors.csv"
SAMPLE = Path(__file__).with_name("accuracy_sample.csv")
README = Path(__file__).with_name("README.md")
EVERY = 10  # models of a family to one of the sample
MOST = {1: 60, 2: 25, 3: 12}  # jobs of a class, by classes
SIMULATED = ("qna", "fcfs")  # measured by accuracy_general
HEAD = (
    "method",
    "family",
    "models",
    *(f"{what}_{how}" for what in ("throughput", "response") for how in ("mean", "p95", "max")),
)

Random = np.random.Generator
Station = qn.Queue | qn.LoadDependent


def _network(rng: Random, stations: list[Station], demand: Callable[[int, int], float], *, thinking: bool = True) -> qn.Network:
    count = int(rng.integers(1, 4))
    classes = [
        qn.ClosedClass(
            f"c{r}",
            population=int(rng.integers(1, MOST[count] + 1)),
            think_time=0.0 if not thinking or rng.random() < 0.5 else 10 ** rng.uniform(-1, 1.5),
            demands={s.name: demand(r, k) for k, s in enumerate(stations)},
        )
        for r in range(count)
    ]
    return qn.Network(stations, classes)


def _queues(rng: Random, servers: tuple[int, ...] = (1,)) -> list[Station]:
    return [qn.Queue(f"s{k}", servers=int(rng.choice(servers))) for k in range(int(rng.integers(2, 6)))]


def _servers(station: Station) -> float:
    return station.servers if isinstance(station, qn.Queue) else station.rates[-1]


def _spread(rng: Random, stations: list[Station], low: float, high: float) -> Callable[[int, int], float]:
    """Demands per server between powers of ten."""
    return lambda r, k: float(_servers(stations[k]) * 10 ** rng.uniform(low, high))


def single(rng: Random) -> qn.Network:
    """Single servers, demands within a factor of 60."""
    stations = _queues(rng)
    return _network(rng, stations, _spread(rng, stations, -1.5, 0.3))


def balanced(rng: Random) -> qn.Network:
    """Single servers, each class with equal demands everywhere."""
    sizes = 10 ** rng.uniform(-1, 0.3, 3)
    return _network(rng, _queues(rng), lambda r, k: float(sizes[r]))


def unbalanced(rng: Random) -> qn.Network:
    """Single servers, demands within a factor of 1000."""
    stations = _queues(rng)
    return _network(rng, stations, _spread(rng, stations, -2.5, 0.5))


def servers(rng: Random) -> qn.Network:
    """Half of the stations with 2 to 16 servers."""
    stations = _queues(rng, (1, 1, 1, 1, 1, 2, 3, 4, 8, 16))
    return _network(rng, stations, _spread(rng, stations, -1.5, 0.3))


def saturated(rng: Random) -> qn.Network:
    """As the many-server family, some station at least 95 % busy."""
    while True:
        stations = _queues(rng, (1, 2, 4, 16))
        model = _network(rng, stations, _spread(rng, stations, -1.0, 0.3))
        if max(s.utilization for s in qn.solve(model).stations) > 0.95:
            return model


def load_dependent(rng: Random) -> qn.Network:
    """The first station speeds up with its jobs, to a random curve."""
    stations = _queues(rng)
    stations[0] = qn.LoadDependent("s0", rates=np.cumsum(rng.uniform(0.05, 1.0, 6)).tolist())
    return _network(rng, stations, _spread(rng, stations, -1.5, 0.3))


def many_jobs(rng: Random) -> qn.Network:
    """Two classes of 60 to 180 jobs, half of the stations with 2 to 16 servers."""
    stations = _queues(rng, (1, 1, 1, 1, 2, 4, 8, 16))
    demand = _spread(rng, stations, -1.5, 0.3)
    classes = [
        qn.ClosedClass(
            f"c{r}",
            population=int(rng.integers(60, 181)),
            think_time=10 ** rng.uniform(0, 2.5),
            demands={s.name: demand(r, k) for k, s in enumerate(stations)},
        )
        for r in range(2)
    ]
    return qn.Network(stations, classes)


def open_beside_closed(rng: Random) -> qn.Network:
    """As the many-server family, with one or two open classes that use some station 5 to 80 %."""
    stations = _queues(rng, (1, 1, 1, 1, 1, 2, 3, 4, 8, 16))
    demand = _spread(rng, stations, -1.5, 0.3)
    inside = _network(rng, stations, demand)
    demands = [{s.name: demand(r, k) for k, s in enumerate(stations)} for r in range(int(rng.integers(1, 3)))]
    busiest = max(sum(d[s.name] for d in demands) / _servers(s) for s in stations)
    rate = float(rng.uniform(0.05, 0.8) / busiest)
    outside = [qn.OpenClass(f"o{r}", arrival_rate=rate, demands=d) for r, d in enumerate(demands)]
    return qn.Network(stations, [*inside.classes, *outside])


FAMILIES: dict[str, Callable[[Random], qn.Network]] = {
    "single servers": single,
    "balanced": balanced,
    "unbalanced": unbalanced,
    "many servers": servers,
    "near saturation": saturated,
    "load dependent": load_dependent,
    "many jobs": many_jobs,
    **limit_families.FAMILIES,
    **priority_families.FAMILIES,
    "open and closed": open_beside_closed,
    **limit_families.LATER,
    **blocking_families.FAMILIES,
}

COSTLY = (  # families that take more than 4 seconds
    "single servers",
    "unbalanced",
    "many servers",
    "near saturation",
    "load dependent",
    "many jobs",
    "limits, several classes",
    "limits, one within another",
    "limits, open class",
    "limits on parts",
    "limits on parts, two classes",
    "priorities, preemptive",
    "priorities, nonpreemptive",
    "priorities at two stations",
    "first come first served",
    "queues on shared processors",
    "open and closed",
    "limits on parts of more stations",
    "blocking, closed line",
    "blocking, central server",
    "blocking, open line",
)


def models(family: str, count: int = MODELS) -> Iterator[qn.Network]:
    """The seeded models of a family, the same in every run."""
    rng = np.random.default_rng([list(FAMILIES).index(family), 20])
    for _ in range(count):
        yield FAMILIES[family](rng)


def table(count: int = MODELS) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The rows of every family, by method, and those of the sample of the costly ones. On all cores."""
    order = list(reversed(FAMILIES))  # the longest families are the last ones
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as cores:
        found = dict(zip(order, cores.map(partial(family_errors, count=count), order), strict=True))
    whole = [row for family in FAMILIES for row in rows_of(family, found[family])]
    sample = [row for family in COSTLY for row in rows_of(family, {name: e[::EVERY] for name, e in found[family].items()})]
    return in_order(whole), in_order(sample)


def in_order(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Rows by method as they are listed."""
    methods = [report.name for report in qn.methods()]
    return sorted(rows, key=lambda row: methods.index(row["method"]))


def approximate_methods() -> list[str]:
    """The methods that are measured here."""
    return [report.name for report in qn.methods() if not report.exact and report.name not in SIMULATED]


def family_errors(family: str, count: int = MODELS, every: int = 1) -> dict[str, np.ndarray]:
    """Errors of throughput and response time of each approximate method, the worst class of a model, shape (models, 2).

    Models that a method does not accept are nan; with `every` only one of so many is solved.
    """
    chosen = list(models(family, count))[::every]
    errors = {method: np.full((len(chosen), 2), np.nan) for method in approximate_methods()}
    for i, model in enumerate(chosen):
        exact = qn.solve(model, method="exact")
        for report in qn.methods(model):
            if report.name in errors and report.accepts:
                errors[report.name][i] = _worst(exact, qn.solve(model, method=report.name))
    return errors


def rows_of(family: str, errors: dict[str, np.ndarray]) -> list[dict[str, str]]:
    """The rows of a family, one for each method that accepts models of it."""
    return [row_of(method, family, found) for method, found in errors.items() if np.isfinite(found).any()]


def _worst(exact: qn.Solution, other: qn.Solution) -> tuple[float, float]:
    pairs = list(zip(exact.classes, other.classes, strict=True))
    throughput = max(abs(b.throughput / a.throughput - 1) for a, b in pairs)
    return throughput, max(abs(b.response_time / a.response_time - 1) for a, b in pairs)


def row_of(method: str, family: str, errors: np.ndarray) -> dict[str, str]:
    """A row of the table from errors of throughput and response time, shape (models, 2); nan where there are none."""
    errors = errors[np.isfinite(errors).all(axis=1)]
    figures = [f"{how(errors[:, i]):.5f}" for i in (0, 1) for how in (np.mean, lambda e: np.quantile(e, 0.95), np.max)]
    return dict(zip(HEAD, (method, family, str(len(errors)), *figures), strict=True))


def as_csv(rows: list[dict[str, str]]) -> str:
    """The rows as the package carries them."""
    out = io.StringIO()
    writer = csv.DictWriter(out, HEAD, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_markdown(rows: list[dict[str, str]]) -> str:
    """The rows as a table for reading, errors in percent."""
    lines = ["| method | models | throughput: mean, 95th, max | response: mean, 95th, max |", "|---|---|---|---|"]
    for row in rows:
        cells = [
            ", ".join(f"{100 * float(row[f'{w}_{h}']):.2f}" for h in ("mean", "p95", "max")) for w in ("throughput", "response")
        ]
        lines.append(f"| `{row['method']}` | {row['models']} {row['family']} | {cells[0]} % | {cells[1]} % |")
    return "\n".join(lines)


def write(rows: list[dict[str, str]], sample: list[dict[str, str]]) -> None:
    """Put the rows into the table that the package carries and into the sample's, in place of those of their methods."""
    both = _merged(TABLE, rows)
    _merged(SAMPLE, sample)
    put(as_markdown([row for row in both if row["method"] not in SIMULATED]))


def read(file: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def _merged(file: Path, rows: list[dict[str, str]]) -> list[dict[str, str]]:
    methods = {row["method"] for row in rows}
    both = in_order([*(row for row in read(file) if row["method"] not in methods), *rows])
    file.write_text(as_csv(both), encoding="utf-8", newline="\n")
    return both


def put(table: str) -> None:
    """Replace the README's table that has the same head."""
    lines, new = README.read_text(encoding="utf-8").splitlines(), table.splitlines()
    first = lines.index(new[0])
    last = next((i for i in range(first, len(lines)) if not lines[i].startswith("|")), len(lines))
    README.write_text("\n".join([*lines[:first], *new, *lines[last:]]) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    found = table()
    print(as_markdown(found[0]))
    if "--write" in sys.argv:
        write(*found)
