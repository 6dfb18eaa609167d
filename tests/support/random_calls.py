"""Seeded calls of worksheet functions: most of them nearly right, the others with whatever a sheet may hold.

    for name, given in random_calls.calls(seed=1, count=300): ...

They are made from the examples of the catalogue, so every function takes part. A range is a list of rows; a row may be
shorter than the others.
"""

from __future__ import annotations

import random
from typing import Any

from qnsolve_excel import OMITTED, CellError, catalogue
from qnsolve_excel.cells import EXCEL_CODES, LONGEST_TEXT
from qnsolve_excel.formula import parsed

REACHED = "qnsolve-reached"  # a file or folder of that name would have been made through a cell
NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 3.0, 1e308, -1e308, 5e-324, 2.2250738585072014e-308, 1e-9, 1e15, 2.0**53, 0.1 + 0.2)
FACTORS = (0.0, 0.5, 0.999, 1.001, 2.0, 10.0, -1.0)
NAMES = ("λ≤µ", "\U0001f600\U0001d6cc", "é", "e\u0301", "ß", "İ", "total", "name", "a b", "=x", "+x", "-x", "@x", "7", "a;b")
TEXTS = (
    *NAMES,
    *("", " ", "x", "8", "0x10", "1e5", "nan", "inf", "TRUE", "none", "null", "undefined", "__class__", "{0}", "%s%n", "\\"),
    *("=1+1", "+1+1", "-1+1", "@SUM(1)", '=WEBSERVICE("http://127.0.0.1:9/")', f"=cmd|'/c touch {REACHED}'!A1", "'", '"', "''"),
    *("#NUM!", "#N/A", "2036", "!2042", "Err:504", '{"error":"#N/A"}', "-2146826252", "#SPILL!", "a fault", "OMITTED"),
    *(
        "/etc/passwd",
        f"./{REACHED}",
        f"../{REACHED}",
        "C:\\Windows\\win.ini",
        "\\\\127.0.0.1\\share\\x",
        f"file:///tmp/{REACHED}",
    ),
    *(
        "http://127.0.0.1:9/x",
        f"; touch {REACHED}",
        f"$(touch {REACHED})",
        f"`touch {REACHED}`",
        f"| tee {REACHED}",
        "-rf",
        "NUL",
    ),
    *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "&lt;", "</pre>", "]]>", "<!--", f"open('{REACHED}','w')"),
    *("a\tb", "a\nb", "a\r\nb", "\x07\x1b[2J", "\x7f\x85", "\u202ertl", "\ufeffbom", "\u200b", "\ufffe", "\u2028"),
    *("x" * LONGEST_TEXT, "\U0001f600" * (LONGEST_TEXT // 2), "A" * 300, "9" * 400, "1." + "0" * 300),
)
ERRORS = tuple(CellError(code) for code in EXCEL_CODES)
TALL, WIDE = 5_000, 600

Call = tuple[str, list[Any]]


def calls(seed: int, count: int) -> list[Call]:
    """Name and arguments of each; each error value, then every function in turn."""
    draw = random.Random(seed)
    names = list(catalogue())
    found: list[Call] = [("MMC_RESPONSE", [error, 0.1]) for error in ERRORS]
    while len(found) < count:
        draw.shuffle(names)
        found += [(name, _near(draw, name) if draw.random() < 0.7 else _anything(draw, name)) for name in names]
    return found[:count]


def million() -> list[Call]:
    """Calls with 2^20 cells in one range and more in another: the largest that are read, and one row too many."""
    column: list[Any] = [[None]] * 2**20
    filled = [[0.001]] * (2**20 - 1)
    return [
        ("FIT_DEMAND", [[[200.0], [400.0], *column[2:]], [[0.1], [0.2], *column[2:]], 8.0]),
        ("FIT_CONSTANT", [filled, [*filled[1:], [0.002]]]),
        ("SOLVE", [filled, filled]),
        ("CLOSED", [filled, 3.0]),
        ("MMC_RESPONSE", [filled, 0.1]),
    ]


def _anything(draw: random.Random, name: str) -> list[Any]:
    """Any cell or range for each argument; now and then one argument too many."""
    most = len(catalogue()[name].arguments)
    return [_cell_or_range(draw) for _ in range(most + 1 if draw.random() < 0.04 else draw.randint(0, most))]


def _cell(draw: random.Random) -> Any:
    kind = draw.random()
    if kind < 0.35:
        return draw.choice(NUMBERS)
    return draw.choice(TEXTS) if kind < 0.7 else draw.choice((None, True, False, draw.choice(ERRORS), draw.choice(ERRORS)))


def _cell_or_range(draw: random.Random) -> Any:
    kind = draw.random()
    if kind < 0.5:
        return _cell(draw)
    if kind < 0.6:
        return OMITTED
    if kind < 0.7:
        return [[_cell(draw)]]
    if kind < 0.8:
        return [[draw.choice(NUMBERS) for _ in range(4)]]
    if kind < 0.9:
        return [[draw.choice(NUMBERS)] for _ in range(4)]
    if kind < 0.92:
        return [[0.25]] * TALL if draw.random() < 0.5 else [[0.25] * WIDE]
    return [[_cell(draw) for _ in range(draw.randint(1, 4))] for _ in range(draw.randint(1, 4))]


def _near(draw: random.Random, name: str) -> list[Any]:
    """An example, with up to two things in it changed."""
    given = parsed(draw.choice(catalogue()[name].examples))[1]
    for _ in range(draw.choice((0, 1, 1, 2))):
        if given:
            i = draw.randrange(len(given))
            if isinstance(given[i], list) and draw.random() < 0.3:
                given = _renamed(draw, given, given[i])
            elif isinstance(given[i], list):
                given[i] = _changed_range(draw, given[i])
            else:
                given[i] = _changed(draw, given[i])
    return given


def _changed(draw: random.Random, cell: Any) -> Any:
    kind = draw.random()
    if kind < 0.15:
        return _cell(draw)
    if kind < 0.2:
        return [[cell]]
    if kind < 0.25:
        return OMITTED
    if isinstance(cell, float):
        return cell * draw.choice(FACTORS)
    return draw.choice((cell.upper(), f" {cell} ", cell.title())) if isinstance(cell, str) else cell


def _changed_range(draw: random.Random, rows: list[list[Any]]) -> Any:
    """One cell, one row, one column or the shape."""
    made = [list(row) for row in rows]
    i = draw.randrange(len(made))
    j = draw.randrange(len(made[i]))
    kind = draw.random()
    if kind < 0.35:
        made[i][j] = _changed(draw, made[i][j])
        if isinstance(made[i][j], list) or made[i][j] is OMITTED:
            made[i][j] = _cell(draw)
    elif kind < 0.5 and isinstance(made[0][j % len(made[0])], str):
        j %= len(made[0])
        made[0][j] = draw.choice((made[0][j].upper(), made[0][j].replace("_", " "), f" {made[0][j]} ", draw.choice(TEXTS)))
    elif kind < 0.6:
        made.insert(i, list(made[i]))
    elif kind < 0.7:
        made.insert(i, [None] * len(made[i]))
    elif kind < 0.8:
        made = [[*row, draw.choice((None, "", 0.0))] for row in made] + [[None]] * 3
    elif kind < 0.88:
        made[i].pop() if len(made[i]) > 1 else made[i].append(_cell(draw))
    elif kind < 0.94:
        made = [list(column) for column in zip(*made, strict=False)]
    else:
        made = made[:1] + made[:0:-1]
    return made


def _renamed(draw: random.Random, given: list[Any], table: list[list[Any]]) -> list[Any]:
    """One name of the table is another one, wherever it stands; or is written with other capitals in one place."""
    old = draw.choice([row[0] for row in table])
    if not isinstance(old, str) or not old:
        return given
    new = draw.choice((*NAMES, old.upper(), "n" * 300))

    def changed(cell: Any) -> Any:
        return new if cell == old else cell

    return [[[changed(c) for c in row] for row in a] if isinstance(a, list) else changed(a) for a in given]
