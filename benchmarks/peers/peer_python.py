"""One call of a Python peer, timed: run by path text in the peer's own interpreter.

Takes a model as JSON on standard input and prints lines that begin with @: time, X, Q.
Imports nothing of this project, so that the peer's interpreter needs nothing of it.
"""

import contextlib
import importlib
import io
import json
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

Found = tuple[list[float], list[list[float]]]


def line(function: str, model: dict[str, Any]) -> tuple[Callable[[], Any], Callable[[Any], Found]]:
    """LINE, native Python: the call, and how to read what it returns."""
    np = importlib.import_module("numpy")
    demand, servers = np.array(model["demand"]).T, np.array(model["servers"])
    population, think = np.array(model["population"]), np.array(model["think_time"])
    rate = np.array(model["arrival_rate"], dtype=float)
    classes = demand.shape[1]

    def read(found: Any) -> Found:
        place = 2 if function == "pfqn_mva" else 1
        x, q = np.ravel(found[0]), np.reshape(found[place], (-1, classes))
        return x.tolist(), q.T.tolist()

    if function == "qsys_mmk":
        mmk = importlib.import_module("line_solver.api.qsys").qsys_mmk
        offered, rate_of_one, count = float(rate[0]), 1 / float(demand[0, 0]), int(servers[0])
        return lambda: mmk(offered, rate_of_one, count), lambda found: ([offered], [[float(found["L"])]])
    pfqn = importlib.import_module("line_solver.api.pfqn")
    if function == "pfqn_mva":
        return lambda: pfqn.pfqn_mva(demand, population, think), read
    if len(rate):
        everybody = np.full(classes, np.inf)
        return lambda: pfqn.pfqn_mvams(rate, demand, everybody, np.zeros(classes), np.ones(len(servers)), servers), read
    return lambda: pfqn.pfqn_mvams(np.zeros(classes), demand, population, think, np.ones(len(servers)), servers), read


def pdq(function: str, model: dict[str, Any]) -> tuple[Callable[[], Any], Callable[[Any], Found]]:
    """PDQ: builds the model and solves it, for its library keeps no model; then reads it."""
    lib = importlib.import_module("pdq")
    stations, classes = range(len(model["servers"])), range(len(model["demand"]))
    is_open = bool(model["arrival_rate"])
    kind = lib.TRANS if is_open else lib.TERM

    def call() -> None:
        lib.Init("benchmark")
        for r in classes:
            if is_open:
                lib.CreateOpen(f"c{r}", model["arrival_rate"][r])
            else:
                lib.CreateClosed(f"c{r}", lib.TERM, float(model["population"][r]), model["think_time"][r])
        for k, m in enumerate(model["servers"]):
            if m == 1:
                lib.CreateNode(f"s{k}", lib.CEN, lib.FCFS)
            elif hasattr(lib, "MSO"):
                lib.CreateMultiNode(m, f"s{k}", lib.MSO, lib.FCFS)
            else:
                lib.CreateNode(f"s{k}", m, lib.MSQ)
            for r in classes:
                lib.SetDemand(f"s{k}", f"c{r}", model["demand"][r][k])
        lib.Solve(getattr(lib, function))

    def read(_: Any) -> Found:
        x = [float(lib.GetThruput(kind, f"c{r}")) for r in classes]
        return x, [[float(lib.GetQueueLength(f"s{k}", f"c{r}", kind)) for k in stations] for r in classes]

    return call, read


def main() -> None:
    """Time the call: once where it takes more than a second, else the best of several."""
    task = json.load(sys.stdin)
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        call, read = {"LINE": line, "PDQ": pdq}[task["peer"]](task["function"], task["model"])
        begin = perf_counter()
        found = call()
        taken = perf_counter() - begin
        spent = 0.0 if taken < 1 else task["budget"]
        while spent < task["budget"]:
            begin = perf_counter()
            found = call()
            last = perf_counter() - begin
            taken, spent = min(taken, last), spent + max(last, 1e-6)
        x, q = read(found)
    sys.stdout.write(f"@time {taken!r}\n@X {' '.join(map(repr, x))}\n@Q {' '.join(repr(v) for row in q for v in row)}\n")
    for text in said.getvalue().splitlines():
        if "warn" in text.lower():
            sys.stdout.write(f"@W {text.strip()[:90]}\n")
            break


if __name__ == "__main__":
    main()
