"""The compression of VBA streams.

Source: [MS-OVBA] Office VBA File Format Structure, section 2.4.1, Microsoft Open Specifications.
"""

from __future__ import annotations

import struct

CHUNK = 4096  # bytes of text in a chunk
TRIED = 128  # earlier places that are tried for a longer match


def compressed(data: bytes) -> bytes:
    """The compressed container of `data`.

    Examples
    --------
    >>> decompressed(compressed(b"Option Explicit" * 99)) == b"Option Explicit" * 99
    True
    """
    return b"\x01" + b"".join(_chunk(data[at : at + CHUNK]) for at in range(0, len(data), CHUNK))


def decompressed(container: bytes) -> bytes:
    """What a compressed container holds.

    Raises
    ------
    ValueError
        Where it is none.
    """
    if container[:1] != b"\x01":
        raise ValueError("no compressed VBA container: it must begin with byte 1")
    found, place = bytearray(), 1
    try:
        while place < len(container):
            (header,) = struct.unpack_from("<H", container, place)
            end = place + 3 + (header & 0xFFF)
            if end > len(container):
                raise IndexError
            if header & 0x8000:
                _expand(container, place + 2, end, found)
            else:
                found += container[place + 2 : end]
            place = end
    except (struct.error, IndexError):
        raise ValueError("a compressed VBA container that breaks off") from None
    return bytes(found)


def _expand(container: bytes, place: int, end: int, found: bytearray) -> None:
    begin = len(found)
    while place < end:
        flags = container[place]
        place += 1
        for bit in range(8):
            if place >= end:
                break
            if not flags >> bit & 1:
                found.append(container[place])
                place += 1
                continue
            (token,) = struct.unpack_from("<H", container, place)
            place += 2
            bits = _bits(len(found) - begin)
            back = (token >> (16 - bits)) + 1
            if back > len(found) - begin:
                raise ValueError("a compressed VBA container that copies from before its chunk")
            for _ in range((token & (0xFFFF >> bits)) + 3):
                found.append(found[-back])


def _bits(position: int) -> int:
    """Bits of a copy token that hold the distance, at that position of the chunk."""
    return max(4, (position - 1).bit_length())


def _chunk(text: bytes) -> bytes:
    tokens: list[tuple[bool, bytes]] = []
    seen: dict[bytes, list[int]] = {}
    place = 0
    while place < len(text):
        length, back = _match(text, place, seen)
        if length:
            bits = _bits(place)
            tokens.append((True, struct.pack("<H", (back - 1) << (16 - bits) | (length - 3))))
        else:
            tokens.append((False, text[place : place + 1]))
        for at in range(place, place + max(length, 1)):
            seen.setdefault(text[at : at + 3], []).append(at)
        place += max(length, 1)
    body = bytearray()
    for at in range(0, len(tokens), 8):
        group = tokens[at : at + 8]
        body.append(sum(copies << bit for bit, (copies, _) in enumerate(group)))
        body += b"".join(token for _, token in group)
    if len(body) > CHUNK:
        return struct.pack("<H", 0x3FFF) + text.ljust(CHUNK, b"\0")
    return struct.pack("<H", 0xB000 | (len(body) - 1)) + bytes(body)


def _match(text: bytes, place: int, seen: dict[bytes, list[int]]) -> tuple[int, int]:
    """Length of the longest earlier text that goes on here, and how far back it is; (0, 0) where there is none."""
    most = min((0xFFFF >> _bits(place)) + 3, len(text) - place) if place else 0
    best = back = 0
    if most < 3:
        return 0, 0
    for at in seen.get(text[place : place + 3], ())[: -TRIED - 1 : -1]:
        length = 3
        while length < most and text[at + length] == text[place + length]:
            length += 1
        if length > best:
            best, back = length, place - at
        if best == most:
            break
    return best, back
