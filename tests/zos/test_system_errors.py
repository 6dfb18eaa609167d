"""Systems that are wrong: one line that names the item, the rule and the repair."""

from __future__ import annotations

from pathlib import Path

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.cli import main as cli


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[lpars]]\nname = "P"\nprocessors = 0', ("lpar 'P': processors: engines", "above 0")),
        (
            '[[lpars]]\nname = "P"\nprocessors = 2\nziips = { cores = 1, threads = 2, max_capacity_factor = 2.5 }',
            ("max_capacity_factor", "2.5", "threads"),
        ),
        ('[[lpars]]\nname = "P"\nprocessors = 2\nziips = { cores = 0 }', ("ziips: cores", "1 and")),
        ('[[loggers]]\nname = "G"\nstripes = 0\nseconds_per_mib = [0.1, 0.2]', ("logger 'G'", "stripes", "1 and")),
        ('[[regions]]\nname = "A"\nlpar = "P"\nmxt = 9', ("region 'A'", "mxt", "10 to 2000")),
        ('[[regions]]\nname = "A"\nlpar = "P"\nmxt = 2001', ("region 'A'", "mxt", "10 to 2000")),
        (
            '[[regions]]\nname = "A"\nlpar = "Q"\n[[lpars]]\nname = "P"\nprocessors = 1\n'
            '[[work]]\nname = "w"\nrate = 1\nregions = "A"\nqr_cpu = 1e-3',
            ("lpar", "'Q'", "known: P"),
        ),
        ('[[regions]]\nname = "A"\nlpar = "P"\nmxtt = 20', ("mxtt", "did you mean 'mxt'")),
        ('[[regions]]\nname = "A"\ntype = "cisc"', ("type", "did you mean 'cics'")),
        ('[[regions]]\nname = "A"', ("region 'A': lpar", "is missing")),
        ('[[work]]\nname = "w"\nregions = "A"\nqr_cpu = 1e-3', ("work 'w': rate, users", "neither")),
        ('[[work]]\nname = "w"\nrate = 5\nregions = "A"\nqr_cpu = -1', ("qr_cpu", "0 or more")),
        ('[[work]]\nname = "w"\nrate = 5\nregions = "A"\nqr_cpu = 1\nziip_share = 1.5', ("ziip_share", "0 and 1")),
        ('[[coupling_facilities]]\nname = "C"\nprocessors = 0', ("coupling facility 'C': processors", "1 and")),
        ("lpars = 3", ("lpars", "list of tables")),
    ],
)
def test_bad_files_get_one_line(text: str, said: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong file: one line on stderr with file, item, rule, repair; exit code 2."""
    file = tmp_path / "bad.toml"
    file.write_text(text, encoding="utf-8")
    assert cli.main(["solve", str(file)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert str(file) in err
    for word in said:
        assert word in err


def test_parents_and_children_need_tranclasses_of_their_own() -> None:
    """A TRANCLASS full of parents that wait for children of the same one never empties: refused with the reason."""
    region = zos.CicsRegion("AOR1", lpar="L", tranclasses={"BOTH": 5})
    steps = [zos.Step("AOR1", qr_cpu=0.001, tranclass="BOTH"), zos.Step("AOR1", qr_cpu=0.001, visits=3, tranclass="BOTH")]
    with pytest.raises(qn.ModelError, match="never lets a child in"):
        zos.System(lpars=[zos.Lpar("L", processors=1)], regions=[region], work=[zos.Work("w", rate=1, steps=steps)])


def test_a_tranclass_above_mxt_is_noted() -> None:
    """It is allowed, and said to be without effect."""
    region = zos.CicsRegion("AOR1", lpar="L", mxt=50, tranclasses={"BIG": 80})
    work = zos.Work("w", rate=100, regions="AOR1", qr_cpu=0.001, tranclass="BIG")
    result = zos.System(lpars=[zos.Lpar("L", processors=1)], regions=[region], work=[work]).solve()
    assert any("BIG" in note and "50" in note for note in result.notes)
