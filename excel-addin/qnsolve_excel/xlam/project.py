"""A VBA project: its modules are read, replaced, added and removed, and written as source without a performance cache.

Source: [MS-OVBA] Office VBA File Format Structure, sections 2.2 and 2.3, Microsoft Open Specifications.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

import olefile

from .compound import written
from .ovba import compressed, decompressed

# records of the dir stream
PROJECT_NAME, PROJECT_VERSION, PROJECT_MODULES, PROJECT_COOKIE, END_OF_DIR = 0x04, 0x09, 0x0F, 0x13, 0x10
CODE_PAGE, REFERENCE_NAME = 0x03, 0x16
NAME, NAME_UNICODE, STREAM, STREAM_UNICODE, TEXT, TEXT_UNICODE = 0x19, 0x47, 0x1A, 0x32, 0x1C, 0x48
OFFSET, HELP_CONTEXT, COOKIE, STANDARD, END_OF_MODULE = 0x31, 0x1E, 0x2C, 0x21, 0x2B
MODULE_LINES = ("Document=", "Module=", "Class=", "BaseClass=")  # of the PROJECT stream, after its ID
NO_CACHE = bytes.fromhex("CC61FFFF000000")  # _VBA_PROJECT without a cache: the host compiles the source
ANY_COOKIE = b"\xff\xff"

Record = tuple[int, bytes]


@dataclass
class Module:
    """One module: name, source with attribute lines, records of the dir stream, line of the PROJECT stream."""

    name: str
    source: str
    records: list[Record]
    line: str


class Project:
    """The project of a vbaProject.bin.

    Parameters
    ----------
    data : bytes
        The file.

    Attributes
    ----------
    modules : list of Module

    Raises
    ------
    ValueError
        It is none, or not of code page 1252.
    """

    def __init__(self, data: bytes) -> None:
        try:
            with olefile.OleFileIO(io.BytesIO(data)) as file:
                streams = {"/".join(path): file.openstream(path).read() for path in file.listdir()}
        except OSError as error:
            raise ValueError(f"no VBA project: {error}") from None
        if "VBA/dir" not in streams or "PROJECT" not in streams:
            raise ValueError("no VBA project: it has no stream VBA/dir or PROJECT")
        self.head: list[Record] = []
        self.modules: list[Module] = []
        for kind, content in _records(decompressed(streams["VBA/dir"])):
            if kind == NAME:
                self.modules.append(Module(content.decode("cp1252"), "", [], ""))
            (self.modules[-1].records if self.modules else self.head).append((kind, content))
        if dict(self.head).get(CODE_PAGE) != struct.pack("<H", 1252):
            raise ValueError("the VBA project is not of code page 1252")
        for module in self.modules:
            records = dict(module.records)
            (offset,) = struct.unpack("<I", records[OFFSET])
            stream = streams[f"VBA/{records[STREAM].decode('cp1252')}"]
            module.source = decompressed(stream[offset:]).decode("cp1252")
        self._lines = []
        for line in streams["PROJECT"].decode("cp1252").split("\r\n"):
            if line.startswith(MODULE_LINES):
                self[line.partition("=")[2].partition("/")[0]].line = line
            else:
                self._lines.append(line)

    def __getitem__(self, name: str) -> Module:
        return next(module for module in self.modules if module.name == name)

    def remove(self, name: str) -> None:
        """Take a module out."""
        self.modules.remove(self[name])

    def add(self, name: str, source: str) -> None:
        """Add a standard module; its lines end as VBA's do."""
        narrow, wide = name.encode("cp1252"), name.encode("utf-16-le")
        records = [(NAME, narrow), (NAME_UNICODE, wide), (STREAM, narrow), (STREAM_UNICODE, wide), (TEXT, b"")]
        records += [(TEXT_UNICODE, b""), (OFFSET, bytes(4)), (HELP_CONTEXT, bytes(4)), (COOKIE, ANY_COOKIE)]
        self.modules.append(Module(name, source, [*records, (STANDARD, b""), (END_OF_MODULE, b"")], f"Module={name}"))

    def rename(self, name: str) -> None:
        """Give the project another name."""
        self.head = [(kind, name.encode("cp1252") if kind == PROJECT_NAME else content) for kind, content in self.head]
        self._lines = [f'Name="{name}"' if line.startswith("Name=") else line for line in self._lines]

    def forget(self, library: str) -> None:
        """Take the reference to a library out."""
        kept: list[Record] = []
        inside = False
        for kind, content in self.head:
            if kind in {REFERENCE_NAME, PROJECT_MODULES}:
                inside = kind == REFERENCE_NAME and content == library.encode("cp1252")
            if not inside:
                kept.append((kind, content))
        self.head = kept

    def written(self) -> bytes:
        """The file."""
        changed = {PROJECT_MODULES: struct.pack("<H", len(self.modules)), PROJECT_COOKIE: ANY_COOKIE, OFFSET: bytes(4)}
        changed[COOKIE] = ANY_COOKIE
        records = self.head + [record for module in self.modules for record in module.records] + [(END_OF_DIR, b"")]
        directory = b"".join(_packed(kind, changed.get(kind, content)) for kind, content in records)
        streams = {"dir": compressed(directory), "_VBA_PROJECT": NO_CACHE}
        for module in self.modules:
            streams[dict(module.records)[STREAM].decode("cp1252")] = compressed(module.source.encode("cp1252"))
        names = b"".join(m.name.encode("cp1252") + b"\0" + m.name.encode("utf-16-le") + b"\0\0" for m in self.modules)
        return written({"VBA": streams, "PROJECT": self._project().encode("cp1252"), "PROJECTwm": names + b"\0\0"})

    def _project(self) -> str:
        """The PROJECT stream: its own properties, the modules as they are now, the host; no places of windows."""
        kept = self._lines[: self._lines.index("[Workspace]")] if "[Workspace]" in self._lines else self._lines
        return "\r\n".join([kept[0], *[module.line for module in self.modules], *kept[1:]]).rstrip("\r\n") + "\r\n"


def _records(directory: bytes) -> list[Record]:
    found, place = [], 0
    while place < len(directory):
        kind, size = struct.unpack_from("<HI", directory, place)
        size = 6 if kind == PROJECT_VERSION else size  # its size field says 4
        if kind == END_OF_DIR:
            break
        found.append((kind, directory[place + 6 : place + 6 + size]))
        place += 6 + size
    return found


def _packed(kind: int, content: bytes) -> bytes:
    return struct.pack("<HI", kind, 4 if kind == PROJECT_VERSION else len(content)) + content
