"""The program as a process: interrupts, closed and full outputs, standard input, hostile arguments."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import qnsolve as qn
from qnsolve.cli.main import COMMANDS, main

from tests.support.stopped_runs import LISTENS

MODEL = 'stations = [{name = "cpu"}]\nclasses = [{name = "q", population = 5, think_time = 1.0, demands = {cpu = 0.1}}]\n'
SYSTEM = """
lpars = [{name = "P", processors = 2}]
regions = [{name = "A", lpar = "P", mxt = 10}]
work = [{name = "orders", rate = 100, regions = "A", qr_cpu = 0.002}]
"""
LONG = 600
UNIX = pytest.mark.skipif(os.name == "nt", reason="signals and devices of Unix")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A network."""
    (tmp_path / "model.toml").write_text(MODEL)
    return tmp_path / "model.toml"


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A system."""
    (tmp_path / "system.toml").write_text(SYSTEM)
    return tmp_path / "system.toml"


def shell(text: str, *words: str | Path) -> subprocess.CompletedProcess[bytes]:
    """A line of the shell in which "$@" is the program with these words."""
    command = ["sh", "-c", text, "sh", sys.executable, "-m", "qnsolve", *map(str, words)]
    return subprocess.run(command, capture_output=True, timeout=LONG, check=False)


def one_line(done: subprocess.CompletedProcess[bytes], code: int, *parts: str) -> None:
    """That exit code, and one line of error that names the parts."""
    assert done.returncode == code
    said = done.stderr.decode()
    assert said.count("\n") == 1, said
    assert all(part in said for part in parts), said


INTERRUPT = f"""{LISTENS}
import os, sys, threading
sys.argv = ["qnsolve", *sys.argv[2:]]
at, seen = {{at!r}}, False
def hook(event, given):
    global seen
    if event == "import" and given[0] == at and not seen:
        seen = True
        os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(hook)
from qnsolve.__main__ import main
sys.exit(main())
"""


@UNIX
@pytest.mark.parametrize("command", [["solve"], ["sweep", "q.population=1:40:1"], ["verify", "--jobs", "1e9"]])
@pytest.mark.parametrize("at", ["qnsolve.cli.main", "argparse", "numpy", "datetime", "qnsolve.methods.solve"])
def test_an_interrupt_while_modules_are_loaded_is_one_line(at: str, command: list[str], model: Path) -> None:
    """Each module can be the one that is being loaded, those that numpy loads from C too."""
    words = [command[0], str(model), *command[1:]]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPT.format(at=at), "x", *words], capture_output=True, timeout=LONG, check=False
    )
    one_line(done, 130, "interrupted")
    assert done.stdout == b""


INTERRUPTED_LATER = f"""{LISTENS}
import os, sys, threading, time

def later():
    while signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        time.sleep(0.01)
    time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=later, daemon=True).start()
from qnsolve.__main__ import main
sys.exit(main())
"""


def long_run(command: str, folder: Path) -> list[str]:
    """A command that takes minutes."""
    file = folder / "long.toml"
    if command == "growth":
        file.write_text(SYSTEM)
        return ["growth", str(file), "--by", "0.01:2:0.002"]
    file.write_text(MODEL)
    more = {"sweep": ["q.population=1:900000:1", "--method", "markov"], "verify": ["--jobs", "1e9"]}
    return [command, str(file), *more[command]]


@UNIX
@pytest.mark.parametrize("command", ["sweep", "verify", "growth"])
def test_an_interrupt_of_a_long_run_is_one_line(command: str, tmp_path: Path) -> None:
    """As Ctrl-C sends it, a second after the program has begun to listen for it, on however slow a machine."""
    words = [sys.executable, "-c", INTERRUPTED_LATER, *long_run(command, tmp_path)]
    done = subprocess.run(words, capture_output=True, check=False, timeout=LONG)
    one_line(done, 130, "interrupted")


@UNIX
@pytest.mark.parametrize("words", [["solve"], ["methods"], ["solve", "--csv"]])
def test_standard_output_closed_or_full_is_one_line(words: list[str], model: Path) -> None:
    """Exit code 2: the answer has not arrived."""
    one_line(shell('"$@" >&-', *words, model), 2, "standard output")
    one_line(shell('"$@" >/dev/full', *words, model), 2, "standard output", "space")


@UNIX
@pytest.mark.parametrize("word", ["--help", "--version", "solve --help"])
def test_help_that_does_not_arrive_is_one_line(word: str) -> None:
    """The same for what argparse prints."""
    one_line(shell('"$@" >/dev/full', *word.split()), 2, "standard output", "space")


@UNIX
@pytest.mark.parametrize("target", ["2>&-", "2>/dev/full", ">&- 2>&-"])
def test_standard_error_closed_or_full(target: str, model: Path) -> None:
    """Nobody can be informed, but the exit code is right."""
    assert shell(f'"$@" {target}', "solve", model.with_name("none.toml")).returncode == 2


FILE_COMMANDS: dict[str, Sequence[str]] = {
    "solve": (),
    "sweep": ("q.population=1,2",),
    "verify": ("--jobs", "2000"),
    "bounds": (),
    "bottleneck": (),
    "sensitivity": (),
    "methods": (),
}
SYSTEM_COMMANDS: dict[str, Sequence[str]] = {
    "solve": (),
    "verify": ("--jobs", "2000"),
    "growth": ("--by", "1,1.1"),
    "headroom": ("--target", "orders=0.003"),
    "study": ("--growth", "8%/year", "--from", "2026-12"),
    "sweep": ("orders.rate=50,100",),
    "sensitivity": (),
    "bottleneck": (),
}


def piped(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a text the standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))


@pytest.mark.parametrize("command", [*FILE_COMMANDS, *(f"{name} of a system" for name in SYSTEM_COMMANDS)])
def test_a_dash_is_standard_input(
    command: str, model: Path, system: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command that takes a file prints what it prints for the file."""
    name, _, of_a_system = command.partition(" ")
    file, more = (system, SYSTEM_COMMANDS[name]) if of_a_system else (model, FILE_COMMANDS[name])
    code = main([name, str(file), *more])
    expected = capsys.readouterr().out
    piped(file.read_text(), monkeypatch)
    assert main([name, "-", *more]) == code
    assert capsys.readouterr().out == expected
    assert expected


MEASURED_COMMANDS = {"data": (), "check": (), "fit": (), "day": ("MODEL",)}
MEASURED = "orders.rate,cpu.busy,cpu.servers,length\n" + "".join(
    f"{x},{0.05 + 0.002 * x:.4f},1,900\n" for x in range(20, 220, 10)
)


@pytest.mark.parametrize("name", MEASURED_COMMANDS)
def test_a_dash_is_measurements_from_standard_input(
    name: str, system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command that takes measurements prints of a stream what it prints of a file, but for the name."""
    before = [str(system)] if MEASURED_COMMANDS[name] else []
    file = tmp_path / "measured.csv"
    file.write_text(MEASURED)
    assert main([name, *before, str(file)]) == 0
    expected = capsys.readouterr().out
    piped(MEASURED, monkeypatch)
    assert main([name, *before, "-"]) == 0
    assert capsys.readouterr().out.replace("-:", f"{file}:", 1) == expected
    assert "interval" in expected


def test_every_command_that_takes_a_file_is_tried() -> None:
    """`compare` and `convert` are below; `template` takes none."""
    tried = {*FILE_COMMANDS, *SYSTEM_COMMANDS, *MEASURED_COMMANDS, "compare", "convert", "template"}
    assert tried == set(COMMANDS)


def test_a_dash_of_compare_and_convert(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of the two files; both cannot come from one stream."""
    for words in (["compare", str(model), "-"], ["compare", "-", str(model)], ["convert", "-", str(tmp_path / "a.json")]):
        piped(MODEL, monkeypatch)
        assert main(words) == 0
    assert qn.load(tmp_path / "a.json") == qn.load(model)
    capsys.readouterr()
    piped(MODEL, monkeypatch)
    assert main(["compare", "-", "-"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@UNIX
def test_standard_input_closed_is_one_line() -> None:
    """Not a traceback."""
    one_line(shell('"$@" <&-', "solve", "-"), 2, "standard input")


@pytest.mark.parametrize(
    "values", ["0:inf:1", "0:1:1e-320", "1:1e30:1", "-inf:3:1", "0:nan:1", "1:2:0", "3:1:1", "::", "1:2:3:4"]
)
def test_steps_without_end_are_one_line(values: str, model: Path, system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of `sweep` and of `growth`; each names its own argument."""
    assert main(["sweep", str(model), f"q.population={values}"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"q.population={values}" in err
    assert main(["growth", str(system), f"--by={values}"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "--by" in err
    assert "sweep" not in err


@pytest.mark.parametrize("by", ["1:3:0.00001", "1:1000000:1"])
def test_more_factors_than_can_be_solved_are_refused(by: str, system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At once, before any is solved."""
    assert main(["growth", str(system), "--by", by]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "factors" in err


@pytest.mark.parametrize("kind", ["network", "system"])
def test_verify_reports_differences_by_its_exit_code(
    kind: str, model: Path, system: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """0 where every figure agrees, 1 where one differs."""
    file, home = (model, "qnsolve.cli.verify_command.verify") if kind == "network" else (system, "qnsolve.zos.verify")
    words = ["verify", str(file), "--jobs", "2000"]
    found = qn.verify(qn.load(file), jobs=2000) if kind == "network" else qn.zos.verify(qn.load(file), jobs=2000)

    class Beside:
        """The verification with another verdict."""

        agrees = True

        def __getattr__(self, name: str) -> Any:
            return getattr(found, name)

    monkeypatch.setattr(home, lambda *_, **__: Beside())
    for Beside.agrees, code in ((True, 0), (False, 1)):
        assert main([*words, "--json"]) == code
        assert json.loads(capsys.readouterr().out)["rows"]


@pytest.mark.parametrize(("error", "code"), [(MemoryError(), 3), (OSError(28, "No space left on device"), 2)])
def test_an_error_of_the_machine_names_the_file(
    error: Exception, code: int, model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Memory or disk that does not suffice: one line."""

    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("qnsolve.cli.solve_command._solved", fail)
    assert main(["solve", str(model)]) == code
    err = capsys.readouterr().err
    assert err.startswith(str(model))
    assert err.count("\n") == 1


def test_methods_as_csv(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row a method, with and without a model."""
    for words in (["methods", "--csv"], ["methods", str(model), "--csv"]):
        assert main(words) == 0
        rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
        assert [row["name"] for row in rows] == [report.name for report in qn.methods()]
        chosen = [row["name"] for row in rows if row["auto"] == "True"]
        assert chosen == ([qn.solve(qn.load(model)).method] if len(words) == 3 else [])


def test_the_help_lists_every_command_in_one_style(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of other packages too: small letters, no full stop."""
    with pytest.raises(SystemExit) as info:
        main(["--help"])
    assert info.value.code == 0
    text = capsys.readouterr().out
    others = {point.name for point in entry_points(group="qnsolve.commands")}
    assert {"addin", "validate"} <= others
    listed = [line.split(maxsplit=1) for line in text.partition("COMMAND\n")[2].partition("\n\n")[0].splitlines()]
    assert {line[0] for line in listed} >= {*COMMANDS, *others}
    for name, *words in listed:
        if words and name in {*COMMANDS, *others}:
            assert words[0][0].islower()
            assert not words[0].endswith(".")


@pytest.mark.parametrize("target", ["0.1", "=0.1", "orders=", "orders=fast", "orders", ""])
def test_a_target_without_work_or_seconds(target: str, system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line names the option."""
    assert main(["headroom", str(system), f"--target={target}"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("--target")
    assert err.count("\n") == 1
