"""The other solvers, each in a process of its own with a time limit."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.timing.clock import NoAnswerError, child
from tests.oracles.raw_models import Answer, Model

BUDGET = 0.5  # time that a fast call is repeated for [s]
SCRIPT = Path(__file__).with_name("peer_python.py")
PROBE = """
import importlib.util, sys
from importlib import metadata
if importlib.util.find_spec({module!r}) is None:
    sys.exit("no such module")
import {module} as peer
if {must_have!r} and not hasattr(peer, {must_have!r}):
    sys.exit("another module of that name")
try:
    print("@v", metadata.version({distribution!r}))
except metadata.PackageNotFoundError:
    print("@v of unknown version")
"""


@dataclass(frozen=True)
class Peer:
    """A solver found on this machine, or the reason why not.

    Attributes
    ----------
    name : str
    command : tuple of str
        How it is started; empty where it is not installed.
    version, missing : str
    """

    name: str
    command: tuple[str, ...]
    version: str
    missing: str = ""


@dataclass(frozen=True)
class Outcome:
    """One call of a peer: its time and answer, or why there is none."""

    function: str
    seconds: float | None
    answer: Answer | None
    note: str = ""


def find() -> list[Peer]:
    """The three peers, installed or not."""
    return [_octave(), _python("LINE", "line_solver", "line-solver", ""), _python("PDQ", "pdq", "pdq", "CreateClosed")]


def functions(peer: Peer, model: Model) -> list[str]:
    """The functions of a peer that take a model, none where it has no exact one."""
    several = len(model.demand) > 1
    if peer.name == "Octave":
        if model.is_station:
            return ["qsmmm"]
        if model.is_open:
            return [] if model.shared else ["qnom"]  # its help: single servers and delays
        if several:
            return ["qncmmva"]
        return ["qncsmva", "qncscmva"] if model.shared and not model.is_large else ["qncsmva"]
    if peer.name == "LINE":
        if model.is_station:
            return ["qsys_mmk"]
        return ["pfqn_mvams"] if model.shared or model.is_open else ["pfqn_mva"]
    if model.is_station or (model.is_open and not model.shared):
        return ["CANON"]
    return [] if model.shared or model.is_open or len(model.demand) > 3 else ["EXACT"]


def run(peer: Peer, function: str, model: Model, limit: float) -> Outcome:
    """One peer on one model."""
    with tempfile.TemporaryDirectory() as folder:
        if peer.name == "Octave":
            command, given = [*peer.command, "--eval", _octave_code(function, model)], ""
        else:
            command = [*peer.command, "-c", SCRIPT.read_text(encoding="utf-8")]
            given = json.dumps({"peer": peer.name, "function": function, "model": _plain(model), "budget": BUDGET})
        try:
            text = child(command, limit, given, Path(folder))
        except NoAnswerError as failure:
            return Outcome(function, None, None, str(failure))
    found = {key: rest.split() for key, *more in (line.split(" ", 1) for line in text.splitlines()) for rest in more}
    if not {"@time", "@X", "@Q"} <= found.keys():
        return Outcome(function, None, None, "ended without an answer")
    stations = len(model.servers)
    lengths = [float(v) for v in found["@Q"]]
    rows = [lengths[i : i + stations] for i in range(0, len(lengths), stations)]
    answer = Answer([float(v) for v in found["@X"]], rows)
    return Outcome(
        function, float(found["@time"][0]), answer, _remark(model, answer, " ".join(found.get("@W", [])).partition(". ")[0])
    )


def _remark(model: Model, answer: Answer, warned: str) -> str:
    """What cannot be in an answer, and what the solver said of it."""
    odd = _impossible(model, answer)
    if not odd:
        return f"warns: {warned}" if warned else ""
    return f"{odd}; warns: {warned}" if warned else f"{odd}, no warning"


def _impossible(model: Model, answer: Answer) -> str:
    if not all(abs(x) < float("inf") for x in answer.throughput):
        return "not a number"
    if min(answer.throughput) < 0:
        return "negative throughput"
    for k, m in enumerate(model.servers):
        busy = sum(x * row[k] for x, row in zip(answer.throughput, model.demand, strict=True)) / m
        if busy > 1 + 1e-6:
            return f"utilization {busy:.2f} at station {k + 1}"
    return ""


def _plain(model: Model) -> dict[str, object]:
    names = ("demand", "servers", "population", "think_time", "arrival_rate")
    return {name: getattr(model, name) for name in names}


def _octave() -> Peer:
    program = shutil.which("octave-cli") or shutil.which("octave")
    if not program:
        return Peer("Octave", (), "", "not installed: no octave-cli on PATH")
    command = (program, "--no-gui", "--no-init-file", "--quiet")
    code = 'pkg load queueing; p = pkg("list", "queueing"); printf("@v %s, queueing %s\\n", version(), p{1}.version)'
    try:
        text = child([*command, "--eval", code], 60)
    except NoAnswerError:
        return Peer("Octave", (), "", "not installed: Octave without the package queueing")
    return Peer("Octave", command, text.rpartition("@v ")[2].strip())


def _python(name: str, module: str, distribution: str, must_have: str) -> Peer:
    variable = f"QNSOLVE_BENCH_{name}_PYTHON"
    program = os.environ.get(variable, sys.executable)
    code = PROBE.format(module=module, distribution=distribution, must_have=must_have)
    try:
        with tempfile.TemporaryDirectory() as folder:
            text = child([program, "-c", code], 60, folder=Path(folder))
    except NoAnswerError as failure:
        other = f"the module {module} there is an unrelated one" if "another module" in str(failure) else f"set {variable}"
        return Peer(name, (), "", f"not installed: {other}")
    return Peer(name, (program,), text.rpartition("@v ")[2].strip())


def _octave_code(function: str, model: Model) -> str:
    """The call in Octave, timed as in the Python peers."""
    order = [k for k in range(len(model.servers)) if k not in model.shared] + list(model.shared)
    if function == "qsmmm":
        call = "[U R Q X] = qsmmm(L, 1 ./ S, m);"
    elif function == "qnom":
        call = "[U R Q X] = qnom(L, S, diag(L / sum(L)) * V, m); X = L;"
    elif function == "qncmmva":
        call = "[U R Q X] = qncmmva(N, S, V, m, Z); X = X(:, 1);"
    elif function == "qncsmva":
        call = "[U R Q X] = qncsmva(N, S, V, m, Z); X = X(1);"
    else:  # qncscmva: the station whose speed depends on its load comes last
        places = " ".join(str(order.index(k) + 1) for k in range(len(order)))
        last = order[-1] + 1
        call = (
            f"o = [{' '.join(str(k + 1) for k in order[:-1])}]; B = S({last}) ./ min(1:N, m({last}));"
            f"[U R Q X] = qncscmva(N, S(o), B, V, Z); X = X(1); Q = Q([{places}]);"
        )
    return f"""
pkg load queueing; lastwarn("");
S = {_matrix(model.demand)}; m = {_matrix([model.servers])}; V = ones(size(S));
N = {_matrix([model.population])}; Z = {_matrix([model.think_time])}; L = {_matrix([model.arrival_rate])};
id = tic; {call} t = toc(id);
w = lastwarn(); warning("off", "all");
spent = {BUDGET} * (t >= 1);
while spent < {BUDGET}
  id = tic; {call} d = toc(id);
  t = min(t, d); spent += max(d, 1e-6);
endwhile
printf("\\n@time %.17g\\n", t); printf("@X%s\\n", sprintf(" %.17g", X)); printf("@Q%s\\n", sprintf(" %.17g", Q'));
if (! isempty(w) && isempty(strfind(w, "deprecated"))) printf("@W %s\\n", strtok(w, "\\n")); endif
"""


def _matrix(rows: object) -> str:
    assert isinstance(rows, (list, tuple))
    return "[" + "; ".join(" ".join(repr(v) for v in row) for row in rows) + "]"
