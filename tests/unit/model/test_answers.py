"""What answers offer beside their tables: data frames, differences; and that a wrong one is withheld."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.cli.main import main
from qnsolve.methods.arrays import from_network
from qnsolve.methods.laws import check
from qnsolve.methods.registry import METHODS

from tests.support.zoo import closed

SITE = qn.Network([qn.Queue("cpu"), qn.Queue("disk")], [closed("a", 5, 2.0, cpu=0.5, disk=0.3)])


def _system(rate: float) -> zos.System:
    work = zos.Work("w", rate=rate, regions="AOR1", qr_cpu=0.001)
    return zos.System(lpars=[zos.Lpar("L", processors=2)], regions=[zos.CicsRegion("AOR1", lpar="L")], work=[work])


@pytest.mark.parametrize("installed", ["pandas", "polars"])
def test_a_data_frame_has_the_rows(installed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of pandas and polars the one that is installed makes the frame, from the rows and nothing else."""
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, installed, SimpleNamespace(DataFrame=lambda rows: (installed, rows)))  # type: ignore[arg-type]
    answer = qn.solve(SITE)
    assert answer.to_frame() == (installed, answer.rows())


def test_without_a_package_of_data_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names both packages and how to install one."""
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(qn.ModelError, match="pandas or polars"):
        qn.solve(SITE).to_frame()


@pytest.mark.parametrize(("before", "after"), [(SITE, SITE.replace("a", population=6)), (_system(100.0), _system(200.0))])
def test_a_comparison_has_the_figures_of_both_answers(before: qn.Network | zos.System, after: qn.Network | zos.System) -> None:
    """Each row has a figure of both answers; compared with itself an answer shows no change; what happened is said in words."""
    assert all(row["before"] == row["after"] for row in qn.compare(before, before).rows())
    found = qn.compare(before, after)
    assert any(row["before"] != row["after"] for row in found.rows())
    assert any("throughput" in line or "ETR" in line for line in found.sentences())


def test_a_figure_that_breaks_a_law_is_withheld() -> None:
    """One percent more throughput than the residence times allow is an error that names law and class, not an answer."""
    arrays = from_network(SITE)
    method = next(m for m in METHODS if m.name == "convolution")
    right = method.run(arrays)
    assert check(arrays, right, "convolution", 1e-9) < 1e-12
    with pytest.raises(qn.LawError, match="'a'"):
        check(arrays, replace(right, throughput=1.01 * right.throughput), "convolution", 1e-9)


def test_headroom_at_a_prompt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`qnsolve headroom` prints how often the work fits, and a target without a number is one line."""
    file = tmp_path / "site.toml"
    file.write_text(qn.dumps(_system(300.0)), encoding="utf-8")
    assert main(["headroom", str(file), "--csv"]) == 0
    assert "3.33" in capsys.readouterr().out  # the QR TCB is busy for 0.3 of the time
    assert main(["headroom", str(file), "--target", "w=soon"]) == 2
    assert "--target" in capsys.readouterr().err
    model = tmp_path / "model.toml"
    model.write_text(qn.dumps(SITE), encoding="utf-8")
    assert main(["headroom", str(model)]) == 2
    assert "must describe a system" in capsys.readouterr().err


def test_methods_at_a_prompt_as_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`qnsolve methods` gives one row a method."""
    file = tmp_path / "model.toml"
    file.write_text(qn.dumps(SITE), encoding="utf-8")
    assert main(["methods", str(file), "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(METHODS)


def test_growth_beyond_a_full_center_keeps_its_row() -> None:
    """A factor at which a center is saturated has a row without figures; factors above 0 are needed."""
    found = zos.growth(_system(600.0), [1.0, 5.0])
    assert [row["factor"] for row in found.rows()] == [1.0, 5.0]
    assert "saturated" in str(found)
    with pytest.raises(qn.ModelError, match="at least one"):
        zos.growth(_system(600.0), [])
