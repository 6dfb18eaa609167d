"""A study is a long run: on any executor, with progress, and from a journal as if it had never been stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import pytest
import qnsolve as qn
from qnsolve.analysis.runs.journal import Journal
from qnsolve.planning.load_points import LoadPoints
from qnsolve.zos import System
from qnsolve.zos.report.system_result import figures_of, result_of

from tests.support.stopped_runs import Counting, StoppedError, assert_goes_on

ROOT = Path(__file__).parents[3]
SITE = """
lpars = [{name = "P", processors = 2, fixed_cpu = 0.1}]
regions = [{name = "A", lpar = "P", mxt = 40}]
work = [{name = "orders", rate = 100, regions = "A", qr_cpu = 0.004, delay = 0.01}]

[study]
growth = "40%/year"
from = "2026-01"
targets = {orders = 0.05}
what_if = ["P.engines+1", "A.split=2", "A.mxt*2"]
"""
QUESTION = {"growth": "40%/year", "begin": "2026-01", "targets": {"orders": 0.05}}
WHAT_IFS = ["P.engines+1", "A.split=2", "A.mxt*2"]


def _system() -> System:
    found = qn.loads(SITE.partition("[study]")[0])
    assert isinstance(found, System)
    return found


@contextmanager
def _stopped_at(points: int) -> Iterator[None]:
    """Runs stop when their journals have so many points."""
    add = Journal.add

    def some(self: Journal, point: int, figures: Mapping[str, object]) -> None:
        add(self, point, figures)
        if len(self.done) == points:
            raise StoppedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "add", some)
        yield


@pytest.mark.parametrize("remedies", [False, True])
def test_a_study_that_was_stopped_goes_on(tmp_path: Path, remedies: bool) -> None:
    """In its search and among its changes; nothing is solved twice, and the study is the same to the bit."""
    asked = {**QUESTION, "what_ifs": WHAT_IFS, "remedies": remedies}
    plain, every, journal = qn.study(_system(), **asked).to_json(), Counting(), tmp_path / "study.jsonl"
    assert qn.study(_system(), **asked, executor=every).to_json() == plain
    changes = len(qn.study(_system(), **asked).what_ifs)
    assert changes >= len(WHAT_IFS)
    solved = every.ran - changes + 1
    for last in (3, solved):  # in the search, after the first change
        with _stopped_at(last), pytest.raises(StoppedError):
            qn.study(_system(), **asked, journal=journal)
        assert len(journal.read_text().splitlines()) == 1 + last
    rest = Counting()
    seen: list[tuple[int, int]] = []
    again = qn.study(_system(), **asked, executor=rest, journal=journal, progress=lambda *each: seen.append(each))
    assert (again.to_json(), rest.ran) == (plain, every.ran - solved)
    assert seen[0] == (1, changes + 1)
    assert seen[-1] == (changes + 1, changes + 1)
    points = [json.loads(line)["point"] for line in journal.read_text().splitlines()[1:]]
    assert sorted(points) == list(range(every.ran))
    none = Counting()
    assert qn.study(_system(), **asked, executor=none, journal=journal).to_json() == plain
    assert none.ran == 0


@pytest.mark.parametrize(
    "change", [{"growth": "41%/year"}, {"targets": {"orders": 0.06}}, {"until": "2027-06"}, {"by": "month"}]
)
def test_the_journal_of_another_study_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    """Other growth, targets, end or periods."""
    journal = tmp_path / "study.jsonl"
    with _stopped_at(2), pytest.raises(StoppedError):
        qn.study(_system(), **QUESTION, journal=journal)
    with pytest.raises(qn.ModelError, match="belongs to another run"):
        qn.study(_system(), **{**QUESTION, **change}, journal=journal)


def test_a_study_on_processes() -> None:
    """The same to the bit; what a change gives comes back from another process."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = qn.study(_system(), **QUESTION, what_ifs=WHAT_IFS, executor=pool)
    assert found.to_json() == qn.study(_system(), **QUESTION, what_ifs=WHAT_IFS).to_json()


@pytest.mark.parametrize("file", ["cics-region.toml", "site-study.toml"])
def test_answers_are_made_again_of_their_figures(file: str) -> None:
    """Every figure and note, from the text that a journal has; and so are the points of a study."""
    system = qn.load(ROOT / "examples" / file)
    assert isinstance(system, System)
    answer = system.solve()
    again = result_of(system, json.loads(json.dumps(figures_of(answer))))
    assert again.to_json() == answer.to_json()
    points = LoadPoints(system, {})
    point = points.at(points.service * 0 + 1)
    assert point.result.to_json() == again.to_json()
    assert [sum(point.split(w).values()) for w in range(len(system.work))] == pytest.approx(point.response, rel=1e-6)
    assert point.fullest[1] <= 1


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_an_interrupted_study_loses_nothing(tmp_path: Path, workers: list[str]) -> None:
    """Ctrl-C ends in one line; the same command goes on, and each point is in the journal once."""
    site, journal = tmp_path / "site.toml", tmp_path / "run.jsonl"
    site.write_text(SITE)
    words = ["study", str(site), "--json"]
    assert_goes_on(words, workers, journal)
