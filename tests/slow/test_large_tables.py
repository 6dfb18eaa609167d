"""100,000 intervals of 20 classes, a row a class and a column a figure: read whole in 1 GB."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests import ROOT

pytestmark = pytest.mark.slow
INTERVALS, CLASSES = 100_000, 20
PROGRAM = """
import resource, sys, numpy as np, qnsolve as qn
found = qn.measure.read(sys.argv[1])
assert found.values.shape == (100_000, 60) and not found.notes
assert (np.diff(found.start) == np.timedelta64(300, "s")).all() and (found.length == 300).all()
rate, used = found.column("rate", "WORK07"), found.column("used", "WORK19")
assert rate[:3].tolist() == [7.5, 8.5, 9.5] and abs(used[99_999] - 0.19) < 1e-12
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def _write(path: Path, *, long: bool) -> None:
    starts = np.datetime_as_string(np.datetime64("2026-01-01T00:00:00") + np.arange(INTERVALS) * np.timedelta64(300, "s"))
    names = [f"WORK{j:02d}" for j in range(CLASSES)]
    with path.open("w", encoding="utf-8") as file:
        if long:
            file.write("start,length [s],service class,rate [1/s],response time [ms],APPL% CP\n")
        else:
            figures = (f"{name}.rate [1/s],{name}.response_time [ms],{name}.used [%]" for name in names)
            file.write(f"start,length [s],{','.join(figures)}\n")
        for i, start in enumerate(starts):
            rows = [f"{(i % 50) + j + 0.5},{20 + j}.25,{j}.0" for j in range(CLASSES)]
            if long:
                file.write("".join(f"{start},300,{name},{row}\n" for name, row in zip(names, rows, strict=True)))
            else:
                file.write(f"{start},300,{','.join(rows)}\n")


@pytest.mark.parametrize("long", [True, False], ids=["a row a class", "a column a figure"])
def test_two_million_records(tmp_path: Path, long: bool) -> None:
    """Every figure is where it belongs, and less than 1 GB was used."""
    path = tmp_path / "large.csv"
    _write(path, long=long)
    command = [sys.executable, "-c", PROGRAM, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr[-2000:]
    scale = 1024 if sys.platform == "linux" else 1
    assert int(done.stdout) * scale < 2**30
