"""The error of the approximate methods by how busy the busiest part of the model is.

`python -m benchmarks.accuracy_by_use SALT COUNT` simulates the families of shared limits (with the C compiler) and stores
what it finds in accuracy_by_use.csv; without arguments it prints the table from what is stored and, with `--write`, puts
it into the package. The statement of a method is the 95th percentile of its worst family in each range of use.
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import qnsolve as qn
from qnsolve.methods.measured_errors import RANGES, busiest

from benchmarks import accuracy, accuracy_general
from benchmarks.families import priority_families, shared_limit_families

STORE = Path(__file__).with_name("accuracy_by_use.csv")
TABLE = Path(__file__).parents[1] / "solver" / "qnsolve" / "methods" / "errors_by_use.csv"
SOURCE = Path(__file__).with_name("limit_simulation.c")
EVENTS = 2e6
ENOUGH = 20  # classes of a family in a range, fewer are taken together with those of the others
SURE = 0.03  # largest half width of a simulated response time that is used
HEAD = ("family", "salt", "model", "response", "half_width")
SHOWN = ("method", "low", "high", "classes", "response_p95")
EXACT_FAMILIES = {  # models of families with exact answers
    "layers": ("queues on shared processors",),
    "priority": tuple(name for name in priority_families.FAMILIES if name.startswith("priorities")),
    "limits": ("limits, several classes", "limits, one within another", "limits on parts, two classes"),
}
COUNT = 40

Found = tuple[str, str, float, list[float]]  # method, family, busiest part, errors of the classes


def models(family: str, salt: int, count: int) -> Iterator[qn.Network]:
    """The seeded models of a family of shared limits, the same in every run."""
    rng = np.random.default_rng([list(shared_limit_families.FAMILIES).index(family), salt])
    for _ in range(count):
        yield shared_limit_families.FAMILIES[family](rng)


def simulated(model: qn.Network, seed: int, program: Path, events: float = EVENTS) -> list[tuple[float, float]]:
    """Response time and relative half width of each class."""
    own = {limit.classes[0]: limit.capacity for limit in model.limits if limit.classes}
    rows = [f"{model.limits[0].capacity} {len(model.classes)} {len(model.stations)} {seed} {events:.0f}"]
    rows.append(" ".join(str(s.servers) if isinstance(s, qn.Queue) else "0" for s in model.stations))
    for c in model.classes:
        head = f"{c.population} 0 {c.think_time}" if isinstance(c, qn.ClosedClass) else f"0 {c.arrival_rate} 0"
        rows.append(f"{head} {own.get(c.name, 0)} " + " ".join(str(c.demand(s.name)) for s in model.stations))
    out = subprocess.run([program], input="\n".join(rows), capture_output=True, text=True, check=True).stdout
    lines = [list(map(float, line.split())) for line in out.splitlines()]
    return [(mean, half / mean) for mean, half, _ in lines]


def compiled(folder: Path) -> Path:
    """The simulator."""
    program = folder / "limit_simulation"
    subprocess.run(["cc", "-O2", "-o", program, SOURCE, "-lm"], check=True)
    return program


def store(salt: int, count: int) -> None:
    """Simulate the models of all families with a salt and add them to what is stored."""
    rows = [row for row in csv.DictReader(STORE.read_text().splitlines()) if row["salt"] != str(salt)] if STORE.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        for family in shared_limit_families.FAMILIES:
            for number, model in enumerate(models(family, salt, count)):
                found = simulated(model, number, program)
                response, half = ("/".join(f"{v:.5g}" for v in column) for column in zip(*found, strict=True))
                rows.append(dict(zip(HEAD, (family, str(salt), str(number), response, half), strict=True)))
    STORE.write_text(as_csv(rows, HEAD), encoding="utf-8", newline="\n")


def stored(salt: int) -> list[dict[str, str]]:
    """The references of a salt."""
    return [row for row in csv.DictReader(STORE.read_text(encoding="utf-8").splitlines()) if row["salt"] == str(salt)]


def published() -> list[dict[str, str]]:
    """The table that the package carries."""
    return list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines()))


def as_csv(rows: list[dict[str, str]], head: tuple[str, ...]) -> str:
    """The rows with their head."""
    out = io.StringIO()
    writer = csv.DictWriter(out, head, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def shared_limits(salt: int) -> Iterator[Found]:
    """Errors of `limits` on the stored models."""
    known = stored(salt)
    for family in shared_limit_families.FAMILIES:
        rows = [row for row in known if row["family"] == family]
        for model, row in zip(models(family, salt, len(rows)), rows, strict=True):
            found = qn.solve(model, "limits")
            truth, half = ([float(v) for v in row[key].split("/")] for key in ("response", "half_width"))
            errors = [abs(c.response_time / t - 1) for c, t, h in zip(found.classes, truth, half, strict=True) if h < SURE]
            yield "limits", family, busiest(found), errors


def with_exact_answers() -> Iterator[Found]:
    """Errors on models of families with exact answers."""
    for method, families in EXACT_FAMILIES.items():
        for family in families:
            for model in accuracy.models(family, COUNT):
                exact, found = qn.solve(model, "exact"), qn.solve(model, method)
                errors = [abs(a.response_time / b.response_time - 1) for a, b in zip(found.classes, exact.classes, strict=True)]
                yield method, family, busiest(found), errors


def open_layers(count: int = COUNT // 2) -> Iterator[Found]:
    """Errors of `layers` on open work, against chains."""
    rng = np.random.default_rng([99, 0])
    for _ in range(count):
        model = shared_limit_families.open_layers(rng)
        try:
            exact = qn.solve(model, "markov")
        except qn.QnsolveError:  # too many states
            continue
        found = qn.solve(model, "layers")
        errors = [abs(a.response_time / b.response_time - 1) for a, b in zip(found.classes, exact.classes, strict=True)]
        yield "layers", "layers, open", busiest(found), errors


def with_simulations() -> Iterator[Found]:
    """Errors of `qna` and `fcfs` on their stored simulations."""
    for family in accuracy_general.FAMILIES:
        references = accuracy_general.reference(family)
        for model, (_, response, half) in zip(accuracy_general.models(family, len(references)), references, strict=True):
            for method in ("qna", "fcfs"):
                if any(report.name == method and report.accepts for report in qn.methods(model)):
                    found = qn.solve(model, method)
                    times = np.array([c.response_time for c in found.classes])
                    known = np.broadcast_to(half, times.shape) < SURE
                    yield method, family, busiest(found), np.abs(times / response - 1)[known].tolist()


def table(found: list[Found]) -> list[dict[str, str]]:
    """The 95th percentile of the worst family of each method in each range of use."""
    rows = []
    for method in sorted({method for method, *_ in found}):
        for low, high in RANGES:
            some = [(family, errors) for name, family, busy, errors in found if name == method and low <= busy < high]
            families = {family: [e for name, errors in some for e in errors if name == family] for family, _ in some}
            every = [e for errors in families.values() for e in errors]
            if not every:
                continue
            worst = max(np.quantile(v, 0.95) for v in [every, *(v for v in families.values() if len(v) >= ENOUGH)])
            rows.append(dict(zip(SHOWN, (method, f"{low:g}", f"{high:g}", str(len(every)), f"{worst:.4f}"), strict=True)))
    return rows


if __name__ == "__main__":
    if len(sys.argv) == 3:
        store(int(sys.argv[1]), int(sys.argv[2]))
    rows = table([*shared_limits(0), *shared_limits(2), *with_exact_answers(), *open_layers(), *with_simulations()])
    print(as_csv(rows, SHOWN))
    if "--write" in sys.argv:
        TABLE.write_text(as_csv(rows, SHOWN), encoding="utf-8", newline="\n")
