"""The journal of a long run: a line a finished point, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from qnsolve.errors import ModelError

FORMAT = 1
START = b'{"journal": '  # of the first line
MOST_BYTES = 4_000_000_000
OTHER_NAME = "remove it, or name another file"


@dataclass(frozen=True)
class JournalPart(os.PathLike[str]):
    """A part of a journal, for a command that runs several runs one after the other: a path with a name.

    Attributes
    ----------
    path : str
        Of the file that all parts share.
    name : str
        Of the part; "" is what a path alone means.
    """

    path: str
    name: str

    def __fspath__(self) -> str:
        return self.path


def part_of(journal: str | os.PathLike[str] | None, name: str) -> JournalPart | None:
    """A part of a journal, where there is one."""
    return None if journal is None else JournalPart(os.fspath(journal), name)


class Journal:
    r"""Finished points of one run, in a file of JSON lines; a context manager.

    The first line says which run it is, so that points of another model are never taken for this one's. A point is written
    and given to the disk before the next one counts; a line that was cut off, by a full disk or a lost machine, is
    dropped, and its point runs again. While a run has the file, no other run gets it. Each part begins with a line of its
    own, and its points bear its name.

    Parameters
    ----------
    path : path or JournalPart
        Made where it does not exist.
    run : object
        What makes this run what it is: model, points, method. Its `repr` decides.

    Raises
    ------
    ModelError
        Where the file is something else, or belongs to another run, or another run has it.
    OSError
        Where it cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str], run: object) -> None:
        self.path = Path(path)
        self.part = {"part": path.name} if isinstance(path, JournalPart) and path.name else {}
        self.run = hashlib.sha256(repr(run).encode()).hexdigest()
        self.done: dict[int, dict[str, Any]] = {}
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Journal:
        file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644), "r+b")
        try:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise self._wrong("must be a file on a disk", "name another one")
            self._lock(file)
            self._read(file)
        except BaseException:
            file.close()
            raise
        self._file = file
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()  # gives the lock back
            self._file = None

    def add(self, point: int, figures: Mapping[str, Any]) -> None:
        """Write down a finished point.

        Raises
        ------
        OSError
            On a full disk; what stood in the file stays.
        """
        assert self._file is not None, "a journal is open while its run is"
        self._append({"point": point, "figures": figures, **self.part})
        self.done[point] = dict(figures)

    def _append(self, line: Mapping[str, Any]) -> None:
        assert self._file is not None
        end = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            self._cut(self._file, end)
            raise OSError(error.errno, error.strerror, os.fspath(self.path)) from error

    def _read(self, file: IO[bytes]) -> None:
        size = file.seek(0, os.SEEK_END)
        if size > MOST_BYTES:
            raise self._wrong("must be a journal of a run", OTHER_NAME)
        file.seek(0)
        whole, line, begun = 0, b"", False
        for i, line in enumerate(file):
            if not line.endswith(b"\n"):
                break
            try:
                begun |= self._take(json.loads(line), first=i == 0)
            except ModelError:
                raise
            except (ValueError, KeyError, TypeError, RecursionError):
                if i == 0:
                    raise self._wrong("must be a journal of a run", OTHER_NAME) from None
                raise self._wrong(f"has a line {i + 1} that is no point", OTHER_NAME) from None
            whole += len(line)
        if not whole and size and not (line.startswith(START) or START.startswith(line)):
            raise self._wrong("must be a journal of a run", OTHER_NAME)
        self._cut(file, whole)
        if not begun:
            self._file = file
            self._append({"journal": FORMAT, "run": self.run, **self.part})

    def _take(self, read: Any, first: bool) -> bool:
        """A line that was read: a point of this part is kept; whether it is the first line of this part."""
        own = read.get("part") == self.part.get("part") if isinstance(read, dict) else True
        if first or "journal" in read:
            head = {"run": read["run"], **read}
            if own:
                self._check(head)
            elif head["journal"] != FORMAT:
                raise ValueError("another form")
            return own
        point, figures = int(read["point"]), dict(read["figures"])
        if own:
            self.done[point] = figures
        return False

    def _check(self, head: Any) -> None:
        if head["journal"] != FORMAT:
            raise self._wrong(f"must be a journal of form {FORMAT}", OTHER_NAME)
        if head["run"] != self.run:
            raise self._wrong("belongs to another run: its model, points or method differ", OTHER_NAME)

    def _wrong(self, rule: str, repair: str) -> ModelError:
        return ModelError("journal", rule, repair).in_file(self.path)

    @staticmethod
    def _cut(file: IO[bytes], size: int) -> None:
        file.flush()
        file.truncate(size)
        file.seek(size)

    def _lock(self, file: IO[bytes]) -> None:
        """Keep other runs out; the system frees the file when the process ends, however it ends."""
        try:
            if os.name == "nt":
                import msvcrt

                file.seek(MOST_BYTES)
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
            else:
                import fcntl

                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise self._wrong("is in use by another run", "wait for it, or name another file") from None
