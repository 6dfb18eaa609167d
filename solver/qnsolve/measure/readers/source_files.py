"""The bytes of a file of measurements: limits, encoding, and which format it is."""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from qnsolve.errors import ModelError

LARGEST = 512 * 2**20  # bytes of a file; `largest=` and --largest change it
LARGEST_JSON = 64 * 2**20  # a JSON array is held whole
MOST_CELLS = 25_000_000  # of a table, 200 MB
MOST_COLUMNS = 5_000
LONGEST_CELL = 2_000  # characters
MOST_CHARACTERS = 2**21  # of a line
START = 65_536  # bytes by which a format is known

FORMATS = ("csv", "json", "rmf-xml", "monitor3-xml", "rmf-text", "qnsolve")
_PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "a zip file or a workbook",
    b"\xd0\xcf\x11\xe0": "an old workbook",
    b"%PDF": "a PDF",
    b"PAR1": "a parquet file",
}
_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


class Source:
    """A file that is read more than once: its name, its first bytes, its encoding.

    Parameters
    ----------
    given : str, path-like or file
        A file is one open for reading, of bytes or of text.
    largest : int
        Bytes that it may have.

    Raises
    ------
    ModelError
    """

    def __init__(self, given: Any, largest: int = LARGEST) -> None:
        self.largest = largest
        self._path: Path | None = None
        self._bytes = b""
        self.notes: list[str] = []
        if isinstance(given, (str, os.PathLike)):
            self.name = os.fspath(given)
            self._path = self._checked(given)
            with self.opened() as file:
                self.start = file.read(START)
        else:
            self.name = str(getattr(given, "name", "input"))
            self._bytes = self._all(given)
            self.start = self._bytes[:START]
        self._refuse_binary()
        self.encoding = next((name for bom, name in _BOMS.items() if self.start.startswith(bom)), "utf-8")

    def error(self, item: str, rule: str, repair: str, value: object = ModelError.NO_VALUE) -> ModelError:
        """A ModelError that names this file."""
        return ModelError(item, rule, repair, value).in_file(self.name)

    def _checked(self, given: str | os.PathLike[str]) -> Path:
        try:
            path = Path(given)
            about = path.stat()
        except (OSError, ValueError) as error:  # ValueError: an impossible file name
            why = getattr(error, "strerror", None) or error
            raise self.error("file", f"cannot be read: {why}", "check the name and the folder") from None
        if stat.S_ISDIR(about.st_mode):
            raise self.error("file", "is a folder", "name a file in it")
        if not stat.S_ISREG(about.st_mode):
            raise self.error("file", "must be a file", "copy the data into a file, or give - for standard input")
        self._limit(about.st_size)
        return path

    def _limit(self, size: int) -> None:
        if size > self.largest:
            rule = f"has {size / 2**20:,.0f} MB or more, and at most {self.largest / 2**20:,.0f} MB are read"
            raise self.error("file", rule, "give a shorter span, or raise the limit: --largest 2G, largest=2 * 2**30")

    def _all(self, given: Any) -> bytes:
        read = getattr(given, "read", None)
        if not callable(read):
            raise ModelError("file", "must be a name or an open file", "give 'intervals.csv'", given)
        try:
            data = read(self.largest + 1)
        except (OSError, ValueError) as error:
            raise self.error("file", f"cannot be read: {error}", "give an open file") from None
        raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data)
        self._limit(len(raw))
        return raw

    def _refuse_binary(self) -> None:
        start = self.start
        if not start.strip(b" \t\r\n\xef\xbb\xbf\0"):
            raise self.error("file", "is empty", "give a file with intervals")
        for magic, what in _PACKED.items():
            if start.startswith(magic):
                raise self.error("file", f"is {what}", "unpack it, or save the table as CSV")
        if start.startswith((b"\xff\xfe", b"\xfe\xff")):
            return
        if _ebcdic(start):
            raise self.error("file", "is in EBCDIC", "transfer it as text, not as binary")
        if b"\0" in start or sum(byte < 32 and byte not in b"\t\n\r\f\x1a" for byte in start[:4096]) > 8:
            raise self.error("file", "is binary", "give CSV, JSON, RMF XML or a printed report")

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The bytes, from the begin."""
        if self._path is None:
            yield io.BytesIO(self._bytes)
            return
        try:
            with self._path.open("rb") as file:
                yield file
        except OSError as error:
            why = error.strerror or error
            raise self.error("file", f"cannot be read: {why}", "check the rights") from None

    @contextmanager
    def text(self) -> Iterator[IO[str]]:
        """The characters, from the begin, line ends as they are; where they are no UTF-8, as latin-1."""
        with self.opened() as file:
            yield io.TextIOWrapper(file, encoding=self.encoding, newline="")

    def settle_encoding(self) -> None:
        """Find out by reading whether the file is UTF-8; take latin-1 where it is not, and note it."""
        try:
            self._scan(lines=False)
        except UnicodeDecodeError:
            if self.encoding == "utf-16":
                raise self.error("file", "is no valid UTF-16", "save it as UTF-8") from None
            self.encoding = "latin-1"
            self.notes.append("the file is no valid UTF-8: it is read as latin-1")

    def check_lines(self) -> None:
        """Refuse a table with a line that is endless, and one with NUL characters."""
        self._scan(lines=True)

    def _scan(self, *, lines: bool) -> None:
        at, since = 1, 0
        with self.text() as file:
            while part := file.read(2**20):
                if not lines:
                    continue
                if "\0" in part:
                    line = at + part[: part.index("\0")].count("\n")
                    raise self.error(f"line {line}", "is binary: it has a NUL character", "save the table as CSV in UTF-8")
                last = max(part.rfind("\n"), part.rfind("\r"))
                since = len(part) - last - 1 if last >= 0 else since + len(part)
                at += part.count("\n")
                if since > MOST_CHARACTERS:
                    rule = f"has more than {MOST_CHARACTERS:,} characters"
                    raise self.error(f"line {at}", rule, "check that this is a table")

    def format(self) -> str:
        """Its format, by its content."""
        encoding = self.encoding if self.encoding != "utf-8" else "latin-1"
        text = self.start.decode(encoding, "ignore").lstrip("\ufeff \t\r\n")
        if text.startswith("<"):
            return "monitor3-xml" if re.search(r"<report[\s>]", text) and "<postprocessor" not in text else "rmf-xml"
        if text[:1] in "{[":
            return "json"
        if text.startswith("#qnsolve"):
            return "qnsolve"
        if re.search(r"C P U\s+A C T I V I T Y|P A R T I T I O N\s+D A T A\s+R E P O R T", text):
            return "rmf-text"
        return "csv"


def printable(text: str) -> str:
    """A name on one line, without control characters."""
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(c if c.isprintable() else "?" for c in line)


def _ebcdic(start: bytes) -> bool:
    """Whether most bytes are EBCDIC letters, digits and blanks, and hardly one is an ASCII blank or line end."""
    part = start[:4096]
    high = sum(byte == 0x40 or 0x81 <= byte <= 0xF9 for byte in part)
    return len(part) > 16 and high > 0.6 * len(part) and sum(byte in (0x20, 0x0A, 0x2C) for byte in part) < 0.02 * len(part)
