"""A hundred spoilt files of each of eleven, in a process with 1 GB of memory, each with 5 s of processor time."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from types import FrameType

import pytest

from tests import ROOT

pytestmark = pytest.mark.slow
DATA = ROOT / "tests" / "data" / "measured"
FILES = sorted(path.name for path in DATA.iterdir())
SEEDS, SECONDS, MEMORY = 100, 5, 2**30


@pytest.mark.parametrize("name", [*FILES, "written"])
def test_every_one_is_read_or_refused(name: str) -> None:
    """No traceback, no figure that is not finite, no line too many, no more memory or time."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.slow.test_many_hostile_files", name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=3000,
        env={"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-3000:]
    read, refused = map(int, done.stdout.split())
    assert read + refused == SEEDS
    assert min(read, refused) > SEEDS // 50


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TimeoutError


def _run(name: str) -> str:
    import qnsolve as qn

    from tests.support.mutations import mutated
    from tests.support.reading import outcome

    good = (DATA / ("long.csv" if name == "written" else name)).read_bytes()
    if name == "written":
        good = qn.measure.canonical(qn.measure.read(DATA / "long.csv")).encode()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _too_long)
    found = []
    for seed in range(1000, 1000 + SEEDS):
        raw = mutated(seed, good)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            found.append(outcome(raw))
        except BaseException:
            print(f"{name}, seed {seed}", file=sys.stderr)
            raise
        signal.setitimer(signal.ITIMER_PROF, 0)
    return f"{found.count('read')} {found.count('refused')}"


if __name__ == "__main__":
    print(_run(sys.argv[1]))
