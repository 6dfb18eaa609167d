"""`qnsolve validate` as a process: it leaves no worker behind and no half-written file."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import qnsolve as qn
import qnsolve_validation
from qnsolve_validation import accepted, runner

from tests.support.stopped_runs import LISTENS

LONG = 60.0  # seconds after which a process counts as one that does not end

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")


def workers(parent):
    """Processes of a command that run cases."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                status = (folder / "stat").read_text().rpartition(")")[2].split()
                words = (folder / "cmdline").read_text()
            except OSError:
                continue
            if int(status[1]) == parent and status[0] != "Z" and "spawn_main" in words:
                found.append(int(folder.name))
    return found


def alive(process):
    """Whether a process runs."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(condition):
    """Wait for it."""
    end = time.monotonic() + LONG
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def at_work(pid):
    """Whether a process has computed for a fifth of a second, or is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return True
    return int(fields[11]) + int(fields[12]) > 20


LISTENING = f"""{LISTENS}
import sys
from qnsolve.__main__ import main
if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.fixture
def running(tmp_path):
    """A run of every case whose workers have started."""
    command = [sys.executable, "-c", LISTENING, "validate", "--out", str(tmp_path / "out")]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        found = until(lambda: workers(process.pid))
        until(lambda: all(map(at_work, found)))  # before, what starts them is still being read
        yield process, found
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.skipif(len(getattr(os, "sched_getaffinity", lambda _: [0])(0)) < 2, reason="one core runs no workers")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_command(running, how):
    """Interrupted, ended or killed: no worker goes on, and an interrupt shows no traceback."""
    process, found = running
    process.send_signal(how)
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == (130 if how == signal.SIGINT else -how)
    assert "Traceback" not in said
    until(lambda: not any(map(alive, found)))


@pytest.mark.slow
@pytest.mark.skipif(len(getattr(os, "sched_getaffinity", lambda _: [0])(0)) < 2, reason="one core runs no workers")
def test_a_worker_that_is_killed_is_one_line(running):
    """Out of memory, say: the command ends and names the reason."""
    process, found = running
    os.kill(found[0], signal.SIGKILL)
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == 4
    assert said == "validate: a worker process ended before its case; see whether memory is short\n"


def test_a_report_that_cannot_be_written_is_one_line(tmp_path, monkeypatch, studies):
    """The accepted figures stay as they are where the new ones cannot be written."""
    file = tmp_path / "expected.csv"
    file.write_text("old")
    monkeypatch.setattr(accepted, "EXPECTED", file)
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match=r"cannot be written: No space left on device"):
        accepted.accept(studies.values())
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["expected.csv"]


def test_the_runner_draws_where_it_is_asked(monkeypatch):
    """A picture comes from the process that ran the case; without a request there is none."""
    (drawn,) = runner.studies(["ims12-3"], draw=lambda study: study.case.name)
    (plain,) = qnsolve_validation.studies(["ims12-3"])
    assert (drawn.picture, plain.picture) == ("ims12-3", "")
    with pytest.raises(qn.ModelError, match="must be a case"):
        runner.studies(["ims12"])
