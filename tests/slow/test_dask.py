"""Points on the workers of a scheduler of Dask, one of which is killed in the middle."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
POINTS = 80

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="kills a process")]


def _dask(tmp_path: Path, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
    with (tmp_path / name).open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=tmp_path)


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    while True:
        found = re.search(r"Scheduler at:\s+(tcp://\S+)", log.read_text() if log.exists() else "")
        if found:
            return found[1]
        assert process.poll() is None, log.read_text()
        time.sleep(0.05)


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    """Its points run on the other worker; each is in the journal once."""
    journal = tmp_path / "run.jsonl"
    site = ROOT / "examples" / "cics-region.toml"
    scheduler = _dask(tmp_path, "scheduler", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    processes = [scheduler]
    try:
        address = _address(tmp_path / "scheduler", scheduler)
        where = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path))
        workers = [_dask(tmp_path, f"worker{i}", "worker", address, *where) for i in range(2)]
        processes += workers
        command = [sys.executable, "-m", "qnsolve", "sweep", str(site), f"orders.users=10:{10 * POINTS}:10", "--csv"]
        with subprocess.Popen(
            [*command, "--dask", address, "--journal", str(journal)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as run:
            while not journal.exists() or len(journal.read_bytes().splitlines()) < 20:
                assert run.poll() is None, (run.stderr and run.stderr.read(), (tmp_path / "worker0").read_text())
                time.sleep(0.01)
            workers[0].send_signal(signal.SIGKILL)
            before = len(journal.read_bytes().splitlines()) - 1
            out, said = run.communicate()
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert run.returncode == 0, said
    assert said == b""
    assert before < POINTS  # it was killed in the middle
    lines = [json.loads(line) for line in journal.read_text().splitlines()[1:]]
    assert sorted(line["point"] for line in lines) == list(range(POINTS))  # each once
    assert out == subprocess.run([*command, "--workers", "2"], capture_output=True, check=True).stdout
