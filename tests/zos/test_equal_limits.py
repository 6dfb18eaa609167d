"""Equal regions: the limits of one are solved, and what is found holds for all, as if each had been solved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium.limits import limits as all_limits
from qnsolve.zos.equilibrium.limits.equal_limits import EqualLimits


def _message_regions(classes: dict[str, int] | None = None) -> zos.System:
    """Six equal message regions, two of another kind, and two works that need them all."""
    regions = [zos.ImsRegions(f"MPP{n}", lpar="SYSA", regions=4, tranclasses=classes or {}) for n in range(6)]
    regions += [zos.ImsRegions(f"IFP{n}", lpar="SYSA", regions=5) for n in range(2)]
    small = zos.Step([f"MPP{n}" for n in range(6)], cpu=0.002, devices={"Db2": 0.04}, tranclass="SLOW" if classes else None)
    large = zos.Step([f"MPP{n}" for n in range(6)], cpu=0.006, devices={"Db2": 0.12})
    fast = zos.Step(["IFP0", "IFP1"], cpu=0.001, devices={"Db2": 0.04})
    works = [zos.Work(name, rate=rate, steps=[step]) for name, rate, step in (
        ("small", 150.0, small), ("large", 40.0, large), ("fast", 120.0, fast),
    )]  # fmt: skip
    lpar = zos.Lpar("SYSA", processors=zos.Processors(1))
    return zos.System(lpars=[lpar], regions=regions, work=works, devices=[zos.Device("Db2", servers=40)])


def _each_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no region be equal to another one."""
    begin = EqualLimits.__init__

    def apart(self: EqualLimits, limits: Any) -> None:
        begin(self, limits)
        self.kind = {}

    monkeypatch.setattr(EqualLimits, "__init__", apart)


@pytest.mark.parametrize("classes", [None, {"SLOW": 2}], ids=["limits", "classes in limits"])
def test_as_if_each_had_been_solved(monkeypatch: pytest.MonkeyPatch, classes: dict[str, int] | None) -> None:
    """Response times, and what each limit says, are those of regions that are solved one by one."""
    system = _message_regions(classes)
    together = system.solve()
    _each_solved(monkeypatch)
    apart = zos.scale(system, 1 + 1e-12).solve()  # not the answer that is kept
    for mine, its in zip(together.work, apart.work, strict=True):
        assert mine.response_time == pytest.approx(its.response_time, rel=1e-6)
    for mine, its in zip(together.regions, apart.regions, strict=True):
        assert mine.admission_wait == pytest.approx(its.admission_wait, rel=1e-5)
        assert mine.admission_wait > 0, "its limit is in use"


def test_one_of_equal_regions_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of six and two equal regions two are solved in a pass; another size, or another share, makes one its own."""
    solved: list[int] = []
    gate = all_limits.Limits._gate

    def noted(self: all_limits.Limits, region: int, mine: dict[int, np.ndarray]) -> None:
        solved.append(region)
        gate(self, region, mine)

    monkeypatch.setattr(all_limits.Limits, "_gate", noted)
    _message_regions().solve()
    assert set(solved) == {0, 6}
    solved.clear()
    _message_regions().replace("MPP3", regions=5).solve()
    assert set(solved) == {0, 3, 6}
