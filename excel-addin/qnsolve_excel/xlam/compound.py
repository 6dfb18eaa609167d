"""Writes compound files: streams in storages, as vbaProject.bin is one.

Source: [MS-CFB] Compound File Binary File Format, version 3 (sectors of 512 bytes), Microsoft Open Specifications.
Reading is done with olefile.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SECTOR, MINI, CUTOFF = 512, 64, 4096  # bytes; streams below the cutoff live in the mini stream
FREE, END, FAT_SECTOR, NONE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
STORAGE, STREAM, ROOT = 1, 2, 5
MOST_FATS = 109  # FAT sectors that the header lists: 7 MB, far more than a project has
BLACK = 1

Tree = Mapping[str, Any]  # name: bytes of a stream, or the tree of a storage


@dataclass
class Entry:
    """An entry of the directory."""

    name: str
    kind: int
    data: bytes = b""
    left: int = NONE
    right: int = NONE
    child: int = NONE
    start: int = 0
    size: int = 0

    def packed(self) -> bytes:
        """The 128 bytes of it."""
        name = self.name.encode("utf-16-le") + b"\0\0"
        links = struct.pack("<HBBIII", len(name), self.kind, BLACK, self.left, self.right, self.child)
        return name.ljust(64, b"\0") + links + bytes(36) + struct.pack("<IQ", self.start, self.size)


def written(tree: Tree) -> bytes:
    """The compound file of these storages and streams.

    Raises
    ------
    ValueError
        A name has too many characters, or the file exceeds 7 MB.
    """
    entries = [Entry("Root Entry", ROOT)]
    entries[0].child = _storage(tree, entries)
    sectors: list[bytes] = []
    fat: list[int] = []

    mini = bytearray()
    mini_fat: list[int] = []
    for entry in entries:
        entry.size = len(entry.data)
        if entry.kind == STREAM and not entry.data:
            entry.start = END
        elif entry.kind == STREAM and entry.size < CUTOFF:
            entry.start = _chained(mini_fat, -(-entry.size // MINI))
            mini += _filled(entry.data, MINI)
        elif entry.kind == STREAM:
            entry.start = _added(entry.data, sectors, fat)
    entries[0].size = len(mini)
    entries[0].start = _added(bytes(mini), sectors, fat)
    mini_at = len(sectors)
    mini_start = _added(_numbers(mini_fat), sectors, fat)
    mini_sectors = len(sectors) - mini_at
    directory = b"".join(entry.packed() for entry in entries)
    unused = bytes(68) + struct.pack("<III", NONE, NONE, NONE) + bytes(48)
    directory_start = _added(directory + unused * (-len(entries) % 4), sectors, fat)

    fats = 1
    while fats * SECTOR // 4 < len(sectors) + fats:
        fats += 1
    if fats > MOST_FATS:
        raise ValueError(f"{len(sectors) * SECTOR} bytes are more than a compound file of this writer holds")
    listed = [len(sectors) + i for i in range(fats)] + [FREE] * (MOST_FATS - fats)
    fat += [FAT_SECTOR] * fats
    header = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIII", 0, fats, directory_start, 0, CUTOFF, mini_start, mini_sectors, END, 0)
    return header + struct.pack(f"<{MOST_FATS}I", *listed) + b"".join(sectors) + _numbers(fat)


def _storage(tree: Tree, entries: list[Entry]) -> int:
    """Add what a storage holds; returns the root of its tree of names."""
    added: list[int] = []
    for name, content in sorted(tree.items(), key=lambda item: _order(item[0])):
        if len(name.encode("utf-16-le")) > 62:
            raise ValueError(f"{name!r} has more than 31 characters")
        added.append(len(entries))
        if isinstance(content, Mapping):
            entries.append(Entry(name, STORAGE))
            entries[added[-1]].child = _storage(content, entries)
        else:
            entries.append(Entry(name, STREAM, content))
    return _balanced(added, entries)


def _order(name: str) -> tuple[int, bytes]:
    """Shorter names first, then by the code units in upper case."""
    raised = "".join(letter.upper() if len(letter.upper()) == 1 else letter for letter in name)
    return len(name.encode("utf-16-le")), raised.encode("utf-16-be")


def _balanced(sorted_ids: list[int], entries: list[Entry]) -> int:
    """A balanced search tree, all of it black, which the rules of red and black allow."""
    if not sorted_ids:
        return NONE
    middle = len(sorted_ids) // 2
    entry = entries[sorted_ids[middle]]
    entry.left = _balanced(sorted_ids[:middle], entries)
    entry.right = _balanced(sorted_ids[middle + 1 :], entries)
    return sorted_ids[middle]


def _added(data: bytes, sectors: list[bytes], fat: list[int]) -> int:
    """Put data into sectors of its own; returns the first."""
    filled = _filled(data, SECTOR)
    sectors += [filled[at : at + SECTOR] for at in range(0, len(filled), SECTOR)]
    return _chained(fat, len(filled) // SECTOR)


def _chained(table: list[int], count: int) -> int:
    """Add a chain of places at the end of their table; returns the first."""
    if not count:
        return END
    first = len(table)
    table += [*range(first + 1, first + count), END]
    return first


def _filled(data: bytes, unit: int) -> bytes:
    return data + bytes(-len(data) % unit)


def _numbers(table: list[int]) -> bytes:
    """A table of sector numbers, filled up with free ones."""
    return struct.pack(f"<{len(table)}I", *table) + b"\xff" * (-len(table) * 4 % SECTOR)
