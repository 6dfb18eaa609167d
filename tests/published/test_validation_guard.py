"""The accepted figures of the validation suite, and its command: changes, choice of cases, the bar."""

import qnsolve_validation
from qnsolve import zos
from qnsolve.cli.main import main
from qnsolve_validation import accepted, runner
from qnsolve_validation.report import summary


def test_each_figure_is_what_was_accepted(studies):
    """expected.csv holds verdict and error of every predicted figure, and of no other."""
    assert accepted.changes(list(studies.values())) == []
    assert len(accepted.stored()) == len(summary.predicted(studies.values()))
    assert {row[0] for row in accepted.stored()} == {name for name, study in studies.items() if study.predicted}


def test_a_figure_that_moves_is_reported_with_old_and_new(studies):
    """A verdict, an error beyond the last digits, a figure that is new or gone."""
    study = studies["mq-otma-bridge"]
    rows = [accepted.entry(study, point) for point in study.predicted]
    key = rows[0][:5]
    assert accepted.changes([study], rows) == []
    close = accepted.changes([study], [(*key, "close", rows[0][6]), rows[1]])
    assert close == [
        f"mq-otma-bridge, rate, 6:3:3 (text, row 4, tran_per_s): was close {rows[0][6]} %, is missed {rows[0][6]} %"
    ]
    assert "was missed +1.0000 %" in accepted.changes([study], [(*key, "missed", "+1.0000"), rows[1]])[0]
    assert accepted.changes([study], [(*key, "missed", f"{float(rows[0][6]) + 0.0009:+.4f}"), rows[1]]) == []
    assert "was not predicted, is missed" in accepted.changes([study], rows[1:])[0]
    gone = ("mq-otma-bridge", "text", "1", "rate", "tran_per_s", "close", "+2.0000")
    assert accepted.changes([study], [*rows, gone])[0].endswith("was close +2.0000 %, is not predicted")


def test_the_command_fails_where_a_figure_moved(monkeypatch, tmp_path, capsys, solve_once):
    """Exit code 4, old and new on standard error, the report written all the same."""
    monkeypatch.setattr(zos.System, "solve", solve_once)  # what the fixture `studies` has solved is not solved again
    rows = [row if row[0] != "mq-otma-bridge" else (*row[:5], "close", "+0.5000") for row in accepted.stored()]
    monkeypatch.setattr(accepted, "stored", lambda: rows)
    assert main(["validate", "--document", "mq-otma", "--out", str(tmp_path)]) == 4
    said = capsys.readouterr().err
    assert "2 predicted figures differ from the accepted ones" in said
    assert "was close +0.5000 %, is missed +8" in said
    assert "was close +0.5000 %" in (tmp_path / "validation.md").read_text(encoding="utf-8")


def test_what_is_accepted_is_stored(monkeypatch, tmp_path, studies):
    """The file that --accept writes is the one that is compared."""
    monkeypatch.setattr(accepted, "EXPECTED", tmp_path / "expected.csv")
    accepted.accept(studies.values())
    assert accepted.stored() == [accepted.entry(study, point) for study in studies.values() for point in study.predicted]


def test_one_case_or_one_document(tmp_path, capsys):
    """--case and --document run what they name; what is unknown is a one-line error and writes nothing."""
    assert main(["validate", "--out", str(tmp_path / "a"), "--case", "ims12-8"]) == 0
    assert capsys.readouterr().out.startswith("1 case, 15 figures")
    assert [case.name for case in runner.chosen(document="mq-otma")] == ["mq-otma-bridge"]
    for arguments, part in (
        (["--case", "ims12-99"], "case = 'ims12-99': must be a case; did you mean 'ims12-"),
        (["--document", "ims13"], "document = 'ims13': must be one of cics-perf, ims12, ims14-z14, mq-otma, zos-memory;"),
        (["--document", "ims12", "--case", "mq-otma-bridge"], "must be a case of ims12"),
        (["--accept", "--case", "ims12-8"], "--accept: stores the figures of all cases"),
    ):
        assert main(["validate", "--out", str(tmp_path / "b"), *arguments]) == 2
        said = capsys.readouterr()
        assert said.err.count("\n") == 1
        assert part in said.err
    assert not (tmp_path / "b").exists()


class Terminal:
    """A stream that says it is a terminal, or that it is not."""

    def __init__(self, is_terminal):
        self.is_terminal, self.text = is_terminal, ""

    def isatty(self):
        return self.is_terminal

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_the_bar_is_for_terminals_only(monkeypatch):
    """A bar to the end on a terminal, where it is wiped out then; nothing elsewhere."""
    monkeypatch.setattr(runner, "QUIET", 0.0)
    for is_terminal in (True, False):
        stream = Terminal(is_terminal)
        qnsolve_validation.studies(["ims12-8", "ims12-3"], progress=stream)
        assert ("2/2 ims12-3" in stream.text) == is_terminal
        assert bool(stream.text) == is_terminal
        assert stream.text.rpartition("\r")[2] == ""
        assert not is_terminal or stream.text.split("\r")[-2].isspace()


def test_no_bar_for_what_is_quick(monkeypatch):
    """Nothing is shown before two seconds have passed."""
    monkeypatch.setattr(runner, "QUIET", 3600.0)
    stream = Terminal(is_terminal=True)
    qnsolve_validation.studies(["ims12-3"], progress=stream)
    assert stream.text == ""
