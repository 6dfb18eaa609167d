"""Long runs: each point once, on any executor, from a journal where one is kept."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.analysis.runs.journal import Journal, JournalPart, part_of
from qnsolve.analysis.runs.points import Outcome, WorkerLostError, long_run, run_points
from qnsolve.cli.running import ADDRESS

from tests.support.stopped_runs import printed, stopped

SITE = zos.System(
    lpars=[zos.Lpar("PROD", processors=2)],
    regions=[zos.CicsRegion("AOR", lpar="PROD", mxt=20)],
    work=[zos.Work("orders", rate=100, steps=[zos.Step(regions="AOR", qr_cpu=0.001, open_cpu=0.002)])],
)
RATES = [100.0, 200.0, 300.0, 900.0]


class Counting:
    """Work that counts how often each point ran."""

    def __init__(self) -> None:
        self.ran: list[int] = []

    def __call__(self, point: int) -> Outcome[str]:
        self.ran.append(point)
        return Outcome({"square": point**2}, str(point))


@pytest.fixture(params=["here", "map", "threads"])
def executor(request: pytest.FixtureRequest) -> Iterator[Any]:
    """No executor, one that has only a map, and a pool of threads."""
    if request.param == "here":
        yield None
        return
    with ThreadPoolExecutor(3) as pool:
        yield pool if request.param == "threads" else type("Mapper", (), {"map": staticmethod(pool.map)})()


def test_each_point_runs_once_and_stands_in_its_place(executor: Any) -> None:
    """Outcomes stand in the order of the points, whatever order they finish in."""
    work, seen = Counting(), []
    found = run_points(work, range(600), executor=executor, progress=lambda done, points: seen.append((done, points)))
    assert [each.figures["square"] for each in found] == [i**2 for i in range(600)]
    assert sorted(work.ran) == list(range(600))
    assert seen == [(i, 600) for i in range(1, 601)]


def test_a_run_goes_on_from_its_journal(tmp_path: Path, executor: Any) -> None:
    """Points that the journal has are not run again."""
    path, work, seen = tmp_path / "run.jsonl", Counting(), []
    with Journal(path, "run") as journal:
        run_points(work, range(7), journal=journal)
    with Journal(path, "run") as journal:
        again = run_points(
            work, range(10), executor=executor, journal=journal, progress=lambda done, points: seen.append((done, points))
        )
    assert sorted(work.ran) == list(range(10))
    assert [each.figures["square"] for each in again] == [i**2 for i in range(10)]
    assert [each.made for each in again] == [None] * 7 + ["7", "8", "9"]
    assert seen[0] == (7, 10)
    assert seen[-1] == (10, 10)


@pytest.mark.parametrize("cut", [1, 20, 60, -1, -5])
def test_a_line_that_was_cut_off_runs_again(tmp_path: Path, cut: int) -> None:
    """What the disk has not whole is dropped, and its point runs again."""
    path, work = tmp_path / "run.jsonl", Counting()
    with Journal(path, "run") as journal:
        run_points(work, range(3), journal=journal)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    with Journal(path, "run") as journal:
        missing = sorted({0, 1, 2} - journal.done.keys())
        assert missing
        run_points(work, range(3), journal=journal)
    assert sorted(work.ran) == sorted([0, 1, 2, *missing])
    assert sorted(path.read_bytes().splitlines()) == sorted(whole.splitlines())


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"name = 'site'\n", "must be a journal of a run"),
        (b"{", "must be a journal"),
        (b"\x00\xff\x00\n", "must be a journal"),
        (b'{"journal": 1, "run": "0"}\n', "belongs to another run"),
        (b'{"journal": 2, "run": "0"}\n', "must be a journal of form 1"),
        (b'{"journal": 1}\n', "must be a journal"),
        (b"[" * 100_000 + b"\n", "must be a journal"),
    ],
)
def test_another_file_is_no_journal_and_stays_as_it_is(tmp_path: Path, content: bytes, rule: str) -> None:
    """A file that is something else is never written to."""
    path = tmp_path / "other"
    path.write_bytes(content)
    if content == b"{":  # the first line of a journal, cut off: it begins anew
        with Journal(path, "run") as journal:
            assert not journal.done
        return
    with pytest.raises(qn.ModelError, match=rule) as error, Journal(path, "run"):
        pass
    assert str(path) in str(error.value)
    assert path.read_bytes() == content


def test_a_line_that_is_no_point_is_told(tmp_path: Path) -> None:
    """A line in the middle that is wrong names its number."""
    path = tmp_path / "run.jsonl"
    with Journal(path, "run") as journal:
        journal.add(0, {"square": 0})
    with path.open("ab") as file:
        file.write(b'{"point": "x"}\n')
    with pytest.raises(qn.ModelError, match="line 3 that is no point"), Journal(path, "run"):
        pass


def test_two_runs_do_not_share_a_journal(tmp_path: Path) -> None:
    """The second run is refused while the first has the file."""
    path = tmp_path / "run.jsonl"
    with Journal(path, "run"), pytest.raises(qn.ModelError, match="in use by another run"), Journal(path, "run"):
        pass


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device")
def test_a_device_is_no_journal() -> None:
    """A device that never ends is not read."""
    with pytest.raises(qn.ModelError, match="must be a file on a disk"), Journal("/dev/zero", "run"):
        pass


def test_a_full_disk_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points that were written stay, the one that was not is cut off."""
    path, sync = tmp_path / "run.jsonl", os.fsync

    def full(file: int) -> None:
        sync(file)
        if path.stat().st_size > 130:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as error, Journal(path, "run") as journal:
        run_points(Counting(), range(3), journal=journal)
    assert error.value.filename == str(path)
    monkeypatch.undo()
    with Journal(path, "run") as journal:
        assert list(journal.done) == [0]


def test_a_lost_worker_is_one_line() -> None:
    """A pool whose process was killed says what to do."""

    class Broken(Executor):
        def submit(self, *_: Any, **__: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(BrokenProcessPool("a child process terminated abruptly"))
            return future

    with pytest.raises(WorkerLostError, match="run again, with the same journal"):
        run_points(Counting(), range(3), executor=Broken())


def test_sweeps_of_systems_resume(tmp_path: Path) -> None:
    """Rows are the same from one pass, from a pool, and from a journal."""
    path = tmp_path / "run.jsonl"
    vary = {"orders.rate": RATES}
    plain = zos.sweep(SITE, vary)
    first = zos.sweep(SITE, vary, journal=path)
    again = zos.sweep(SITE, vary, journal=path)
    with ThreadPoolExecutor(2) as pool:
        beside = zos.sweep(SITE, vary, executor=pool)
    rows = json.dumps(plain.rows())  # text, as nan is not equal to nan
    assert all(json.dumps(each.rows()) == rows for each in (first, again, beside))
    assert again.reasons[3].startswith("saturated: ")
    assert again.results[3] is None
    assert again[1].work[0].response_time == plain[1].work[0].response_time
    with pytest.raises(qn.ModelError, match="belongs to another run"):
        zos.sweep(SITE, {"orders.rate": RATES[:2]}, journal=path)


def test_sweeps_of_networks_resume(tmp_path: Path) -> None:
    """The same for networks, whose points are partly solved in one pass."""
    shop = qn.Network([qn.Queue("cpu")], [qn.OpenClass("orders", arrival_rate=1.0, demands={"cpu": 0.1})])
    path = tmp_path / "run.jsonl"
    values = {"arrival_rate": [1.0, 5.0, 20.0]}
    plain = qn.sweep(shop, "orders", **values)
    first = qn.sweep(shop, "orders", journal=path, **values)
    again = qn.sweep(shop, "orders", journal=path, **values)
    assert first.to_csv() == again.to_csv() == plain.to_csv()
    assert again[1]["orders"].response_time == plain[1]["orders"].response_time
    assert len(path.read_text().splitlines()) == 1 + 3 - plain.at_once


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_an_interrupt_loses_nothing(tmp_path: Path, workers: list[str]) -> None:
    """Ctrl-C ends in one line; the same command goes on, and each point is in the journal once."""
    site, journal = tmp_path / "site.toml", tmp_path / "run.jsonl"
    qn.save(SITE, site)
    command = [sys.executable, "-m", "qnsolve", "sweep", str(site), "orders.rate=1:60:1", "--csv", "--journal", str(journal)]
    run = stopped(*command[3:], *workers)
    assert run.returncode == 130
    assert run.stderr.decode() == "qnsolve: interrupted; no file is incomplete\n"
    assert run.stdout == b""
    kept = len(journal.read_bytes().splitlines()) - 1
    assert 4 <= kept < 60
    whole = subprocess.run([*command, *workers], capture_output=True, check=True).stdout
    lines = [json.loads(line) for line in journal.read_text().splitlines()[1:]]
    assert sorted(line["point"] for line in lines) == list(range(60))
    assert whole == printed(command[3:-2])


@pytest.mark.parametrize("address", ["nonsense", "tcp://", "tcp://host", "http://host:1", "tcp://a b:1", "tcp://host:123456"])
def test_addresses_of_schedulers(address: str) -> None:
    """What cannot be an address is refused before anything connects."""
    assert not ADDRESS.fullmatch(address)
    assert ADDRESS.fullmatch("tcp://127.0.0.1:8786")


def test_parts_of_a_journal(tmp_path: Path) -> None:
    """Runs one after the other in one file: each keeps its own points, and is checked by itself."""
    path = tmp_path / "run.jsonl"
    for again in (False, True):
        for name in ("", "draws", "more"):
            work = Counting()
            with Journal(JournalPart(str(path), name), f"run of {name}") as journal:
                run_points(work, range(3 + len(name)), journal=journal)
            assert work.ran == ([] if again else list(range(3 + len(name))))
    with Journal(path, "run of ") as journal:  # a path alone is the part without a name
        assert sorted(journal.done) == [0, 1, 2]
    before = path.read_text()
    for name in ("", "draws"):
        with pytest.raises(qn.ModelError, match="belongs to another run"), Journal(JournalPart(str(path), name), "other"):
            pass
    assert path.read_text() == before
    assert part_of(None, "draws") is None


def test_points_of_a_run_in_batches(tmp_path: Path) -> None:
    """Numbers go on from batch to batch, in the journal and in the progress; a run that has ended still solves."""
    path, seen = tmp_path / "run.jsonl", []
    for _ in range(2):
        work = Counting()
        with long_run("run", None, path, lambda done, points: seen.append((done, points))) as run:
            for batch in ([5, 6], [], [7]):
                assert [each.figures["square"] for each in run.points(work, batch)] == [n**2 for n in batch]
        run.points(work, [8])
        assert work.ran == ([5, 6, 7, 8] if len(seen) == 3 else [8])
    assert seen == [(1, 2), (2, 2), (3, 3), (2, 2), (3, 3)]
    assert [json.loads(line)["point"] for line in path.read_text().splitlines()[1:]] == [0, 1, 2]
