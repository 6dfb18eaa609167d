"""Files are written whole or not at all."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from qnsolve.cli.main import main
from qnsolve.files import writing
from qnsolve.files.writing import write_bytes, write_text


def test_a_new_file_has_the_text_and_the_usual_permissions(tmp_path):
    """Line ends stay as they are; permissions are those of any new file."""
    write_text(tmp_path / "new.csv", "a,µ\nb\n")
    assert (tmp_path / "new.csv").read_bytes() == b"a,\xc2\xb5\nb\n"
    (tmp_path / "other").touch()
    assert (tmp_path / "new.csv").stat().st_mode == (tmp_path / "other").stat().st_mode
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(os.name == "nt", reason="permissions of Unix")
def test_links_and_permissions_stay(tmp_path):
    """A symbolic link still points where it did; the file behind it keeps its permissions."""
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.listdir(tmp_path / "folder") == ["target"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path, monkeypatch, step):
    """A full disk: one line with the file's name, the old content, and nothing beside it."""

    def full(*_):
        raise OSError(28, "No space left on device")

    file = tmp_path / "model.toml"
    file.write_text("old")
    monkeypatch.setattr(*((writing.os, "fsync") if step == "fsync" else (Path, "replace")), full)
    with pytest.raises(OSError, match=r"cannot be written: No space left on device: .*model\.toml") as raised:
        write_text(file, "new")
    assert str(raised.value).count("\n") == 0
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["model.toml"]


@pytest.mark.parametrize(("name", "kind"), [("missing/x", FileNotFoundError), ("", IsADirectoryError), ("a\0b", OSError)])
def test_a_name_that_cannot_be_written_is_one_line(tmp_path, name, kind):
    """No such folder, a folder, a name that no file can have."""
    with pytest.raises(kind, match="cannot be written"):
        write_bytes(tmp_path / name, b"")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_written_to_and_stays(tmp_path):
    """What is no ordinary file is not replaced by one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join()
    assert read == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_many_writers_of_one_file(tmp_path):
    """Readers see one of the contents whole at any time, and no file is left beside."""
    file = tmp_path / "shared"
    contents = [f"{i}" * 20_000 for i in range(8)]
    write_text(file, contents[0])
    seen, writing_on = set(), threading.Event()

    def read():
        while not writing_on.is_set():
            seen.add(file.read_text())

    reader = threading.Thread(target=read)
    reader.start()
    writers = [threading.Thread(target=lambda text=text: [write_text(file, text) for _ in range(20)]) for text in contents]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    writing_on.set()
    reader.join()
    assert seen <= set(contents)
    assert os.listdir(tmp_path) == ["shared"]


def test_two_writers_of_one_file_never_mix(tmp_path):
    """Readers see one whole text or the other while both write; nothing is left beside the file."""
    file, length = tmp_path / "report.txt", 200_000
    texts = {mark * length for mark in "ab"}
    write_text(file, "a" * length)
    script = "import sys; from qnsolve.files.writing import write_text\n"
    script += "for _ in range(30): write_text(sys.argv[1], sys.argv[2] * int(sys.argv[3]))"
    command = [sys.executable, "-c", script, str(file)]
    writers = [subprocess.Popen([*command, mark, str(length)]) for mark in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        seen.add(file.read_text())
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert seen <= texts
    assert file.read_text() in texts
    assert os.listdir(tmp_path) == ["report.txt"]


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
def test_convert_onto_a_link_keeps_the_link(tmp_path, capsys):
    """The file behind it is written."""
    (tmp_path / "real.toml").write_text("old")
    (tmp_path / "link.toml").symlink_to("real.toml")
    text = '{"stations": [{"name": "cpu"}], "classes": [{"name": "a", "population": 1, "demands": {"cpu": 1}}]}'
    (tmp_path / "from.json").write_text(text)
    assert main(["convert", str(tmp_path / "from.json"), str(tmp_path / "link.toml")]) == 0
    assert (tmp_path / "link.toml").is_symlink()
    assert "cpu" in (tmp_path / "real.toml").read_text()
    assert capsys.readouterr().err == ""
