"""Reads that larger buffers avoid: their waits and their CPU go, in proportion; a read elsewhere takes what it takes there."""

from __future__ import annotations

import pytest
import qnsolve as qn
from qnsolve import zos

READS, READ, CPU = 34.0, 758e-6, 37e-6  # of a transaction; time and CPU of one [s]


def _system(**more: object) -> zos.System:
    return zos.System(
        lpars=[zos.Lpar("P", processors=64)],
        regions=[zos.CicsRegion("A", lpar="P", mxt=900)],
        devices=[zos.Device("disk"), zos.Device("pool")],
        work=[
            zos.Work("w", rate=1.0, regions="A", open_cpu=0.010, delay=0.2, devices={"disk": READS * READ, **more}),
            zos.Work("other", rate=1.0, regions="A", open_cpu=0.010),
        ],
    )


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_each_read_saves_as_much(share: float) -> None:
    """Response and CPU of a work that never queues: those without the reads, plus what is left of them."""
    found = zos.avoid_reads(_system(), "disk", share, cpu=CPU / READ).bounds()
    saved = share * READS
    assert found["w"].response_time == pytest.approx(0.210 + READS * READ - saved * (READ + CPU), rel=1e-12)
    assert found["w"].cpu == pytest.approx(0.010 - saved * CPU, rel=1e-12)
    assert found["other"].cpu == pytest.approx(0.010, rel=1e-12)


def test_reads_that_go_elsewhere() -> None:
    """A group buffer pool that answers in 3.6 us, beside what was asked of it before."""
    changed = zos.avoid_reads(_system(pool=0.001), "disk", 0.9, instead={"pool": 3.6e-6 / READ})
    (step,) = changed.work[0].steps
    assert step.devices == pytest.approx({"disk": 0.1 * READS * READ, "pool": 0.001 + 0.9 * READS * 3.6e-6})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"device": "disc", "share": 0.5}, "device.*'disc'.*did you mean 'disk'"),
        ({"device": "pool", "share": 0.5}, "is asked by no step"),
        ({"device": "disk", "share": 1.5}, "share.*within 0 and 1"),
        ({"device": "disk", "share": 0.5, "cpu": 10.0}, "less than a step has"),
        ({"device": "disk", "share": 0.5, "work": ["other"]}, "is asked by no step"),
        ({"device": "disk", "share": 0.5, "work": ["others"]}, "work = 'others': names no work.*did you mean 'other'"),
        ({"device": "disk", "share": 0.5, "work": "other"}, "work = 'other': must be a list of names"),
        ({"device": "disk", "share": 0.5, "work": []}, "must be a list of names"),
        ({"device": "disk", "share": 0.5, "instead": ["pool"]}, "instead.*must be ratios by device"),
        ({"device": None, "share": 0.5}, "device = None: must be a text"),
    ],
)
def test_wrong_values(arguments: dict[str, object], message: str) -> None:
    """One line: what, why, what to do."""
    with pytest.raises(qn.ModelError, match=message):
        zos.avoid_reads(_system(), **arguments)


def test_a_work_that_is_named_twice_is_changed_once() -> None:
    """The same as named once."""
    name = next(item.name for item in _system().work if any("disk" in step.devices for step in item.steps))
    once, twice = (zos.avoid_reads(_system(), "disk", 0.5, work=[name] * times) for times in (1, 2))
    assert once == twice
