"""Good files turned into hostile ones, each by a seed: the same seed gives the same bytes."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable

Mutation = Callable[[random.Random, bytes], bytes]


def _flipped(rng: random.Random, good: bytes) -> bytes:
    found = bytearray(good)
    for _ in range(rng.choice((1, 3, 30, 300))):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def _cut(rng: random.Random, good: bytes) -> bytes:
    return good[: rng.randrange(len(good))]


def _repeated(rng: random.Random, good: bytes) -> bytes:
    a = rng.randrange(len(good))
    b = rng.randrange(a, len(good))
    return good[:a] + good[a:b] * rng.choice((2, 10, 200)) + good[b:]


def _removed(rng: random.Random, good: bytes) -> bytes:
    a = rng.randrange(len(good))
    return good[:a] + good[min(len(good), a + rng.choice((1, 20, 500))) :]


def _lines_mixed(rng: random.Random, good: bytes) -> bytes:
    lines = good.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


def _number_changed(rng: random.Random, good: bytes) -> bytes:
    numbers = list(re.finditer(rb"\d+(\.\d+)?", good))
    found = rng.choice(numbers)
    huge = (b"1e999", b"9" * 400, b"9" * 5000, b"-1", b"nan", b"inf", b"-0", b"1e-320", b"0x10", b"1_0", b"1e308", b"\xd9\xa3")
    return good[: found.start()] + rng.choice(huge) + good[found.end() :]


def _words_put(rng: random.Random, good: bytes) -> bytes:
    words = (
        b"\0",
        b"\xff\xfe",
        b"\xc3\x28",
        b'"',
        b"'",
        b"<",
        b">",
        b"&",
        b"&lol;",
        b"]]>",
        b"{",
        b"[",
        b",,,,",
        b"\r",
        b"\x1a",
    )
    words += (b"<!DOCTYPE x>", b"<![CDATA[", b"<!--", "Ω≈ç".encode(), b"A" * 3000, b"=cmd|' /C calc'!A0", b"\n\n\n")
    words += (b"\x85", b"\r", b"\x1a")
    found = good
    for _ in range(rng.choice((1, 1, 5, 50))):
        at = rng.randrange(len(found) + 1)
        found = found[:at] + rng.choice(words) + found[at:]
    return found


def _encoded(rng: random.Random, good: bytes) -> bytes:
    text = good.decode("utf-8", "replace")
    name = rng.choice(("utf-16", "utf-16-le", "utf-32", "cp037", "utf-7", "latin-1", "utf-8-sig"))
    return text.encode(name, "replace")


def _packed(rng: random.Random, good: bytes) -> bytes:
    return rng.choice((gzip.compress(good, mtime=0), b"PK\x03\x04" + good, b"\x1f\x8b" + good))


def _binary(rng: random.Random, good: bytes) -> bytes:
    return rng.randbytes(rng.choice((1, 100, 100_000)))


def _empty(rng: random.Random, good: bytes) -> bytes:
    return rng.choice((b"", b"\n", b" \t\r\n" * 100, b"\xef\xbb\xbf", b"\0" * 100))


def _bomb(rng: random.Random, good: bytes) -> bytes:
    entities = b"".join(b'<!ENTITY l%d "%s">' % (i, b"&l%d;" % (i - 1) * 10) for i in range(1, 10))
    outside = b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><ddsml>&x;</ddsml>'
    inside = b'<!DOCTYPE d [<!ENTITY l0 "lol">' + entities + b"]><ddsml><postprocessor>&l9;</postprocessor></ddsml>"
    return b'<?xml version="1.0"?>' + rng.choice((outside, inside))


def _deep(rng: random.Random, good: bytes) -> bytes:
    n = rng.choice((100, 5_000, 200_000))
    form = rng.choice((b"[", b'{"a":', b"<ddsml>", b"<postprocessor><segment>", b'"', b"("))
    if good[:1] == b"<":
        at = good.find(b"<row")
        return good[:at] + b"<part>" * n + good[at:]
    return form * n


def _wide(rng: random.Random, good: bytes) -> bytes:
    n = rng.choice((10_000, 1_000_000))
    if good[:1] == b"<":
        return good.replace(b"</row>", b"<col>1</col>" * n + b"</row>", 1)
    if good[:1] in b"[{":
        return b'{"start":"2026-01-01",' + b",".join(b'"k%d":1' % i for i in range(n)) + b"}"
    return b"\n".join([b",".join(b"a%d.rate" % i for i in range(n)), b",".join([b"1"] * n)])


def _many_classes(rng: random.Random, good: bytes) -> bytes:
    n = 20_000
    return b"start,class,rate [1/s]\n" + b"".join(b"2026-01-01T00:00:%02d,c%d,%d\n" % (i % 60, i, i) for i in range(n))


MUTATIONS: tuple[Mutation, ...] = (
    *(_flipped, _cut, _repeated, _removed, _lines_mixed, _number_changed, _words_put, _encoded, _packed, _binary, _empty),
    *(_bomb, _deep, _wide, _many_classes),
)
LARGE: tuple[Mutation, ...] = (_deep, _wide, _many_classes)


def mutated(seed: int, good: bytes, kinds: tuple[Mutation, ...] = MUTATIONS) -> bytes:
    """A hostile file; most are made by the mutations that keep its form."""
    rng = random.Random(seed)
    kind = rng.choice(kinds[:7]) if rng.random() < 0.6 else rng.choice(kinds)
    found = kind(rng, good)
    return kinds[0](rng, found) if found and rng.random() < 0.1 else found
