"""What is no system, no model, no file or no text is refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import qnsolve as qn
from qnsolve import zos

CALLS: dict[str, Callable[[], object]] = {
    "solve": lambda: zos.solve(3),  # type: ignore[arg-type]
    "growth": lambda: zos.growth(None, [1.0]),  # type: ignore[arg-type]
    "headroom": lambda: zos.headroom("site.toml"),  # type: ignore[arg-type]
    "verify": lambda: zos.verify(3),  # type: ignore[arg-type]
    "scale": lambda: zos.scale(3, 2.0),  # type: ignore[arg-type]
    "move_work": lambda: zos.move_work(3, "w", regions="A", from_regions="B"),  # type: ignore[arg-type]
    "avoid_reads": lambda: zos.avoid_reads(3, "D", 0.5),  # type: ignore[arg-type]
    "split_region": lambda: zos.split_region(3, "A", ["B"]),  # type: ignore[arg-type]
    "switch_smt": lambda: zos.switch_smt(3, "L", max_capacity_factor=1.3),  # type: ignore[arg-type]
    "make_threadsafe": lambda: zos.make_threadsafe(3, "w", qr_cpu=0.1),  # type: ignore[arg-type]
    "move": lambda: zos.move(3, "L", itr_ratio=1.2),  # type: ignore[arg-type]
    "load": lambda: qn.load(3),  # type: ignore[arg-type]
    "loads": lambda: qn.loads(3),  # type: ignore[arg-type]
    "dumps": lambda: qn.dumps(3),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_type_is_one_line(name: str) -> None:
    """Item, rule and repair, and the value that was given."""
    with pytest.raises(qn.ModelError) as caught:
        CALLS[name]()
    text = str(caught.value)
    assert "must be" in text
    assert "\n" not in text


def test_save_writes_nothing_of_a_wrong_type(tmp_path: Path) -> None:
    """The file is not even made."""
    path = tmp_path / "site.toml"
    with pytest.raises(qn.ModelError, match="must be a Network"):
        qn.save(3, path)  # type: ignore[arg-type]
    assert not path.exists()
