"""JMVA files as they are read: what is wrong with one in one line, load-dependent stations, notes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from qnsolve import (
    Delay,
    ImportNote,
    LoadDependent,
    ModelError,
    Queue,
    load,
    loads,
    solve,
)

from tests import DATA

FOLDER = DATA / "jmva"


GOOD = (FOLDER / "two-classes.jmva").read_text(encoding="utf-8")


BAD = {
    "no XML": ("</model>", "", r"file: is not valid XML: no element found"),
    "nothing": (GOOD, "<", r"file: is not valid XML"),
    "no model": (GOOD, "<archive/>", r"file: must be a JMVA model, but its root is <archive>; save it in JMVA"),
    "entities": (
        '<model xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="JMTmodel.xsd">',
        '<!DOCTYPE model [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><model>&b;',
        r"file = 'model': has a document type, which could define entities",
    ),
    "an outer entity": (
        "<model ",
        '<!DOCTYPE model SYSTEM "file:///etc/passwd"><model ',
        r"file = 'model': has a document type",
    ),
    "no parameters": ("parameters>", "paramters>", r"file: has no <parameters>"),
    "counts": ('classes number="2"', 'classes number="3"', r"classes: number = '3': must be the number of its elements, 2"),
    "no population": (' population="20"', "", r"class 'Class1': <closedclass> has no population"),
    "half a job": ('population="20"', 'population="20.5"', r"class 'Class1': population = 20.5: must be a whole number"),
    "a variable": ('population="20"', 'population="$N"', r"class 'Class1': population = '\$N': must be a number"),
    "no number": (">0.04<", ">fast<", r"station 'WS': servicetimes: class 'Class1' = 'fast': must be a number"),
    "negative": (">0.04<", ">-1<", r"servicetimes: class 'Class1' = -1.0: must be a number, 0 or more"),
    "infinite": (">0.04<", ">Infinity<", r"must be (finite|a number)"),
    "nan": (">0.04<", ">NaN<", r"must be finite"),
    "a station": ("listation", "listation2", r"station 'WS' = 'listation2': must be one of <delaystation>"),
    "a class": ('visit customerclass="Class1"', 'visit customerclass="Klass1"', r"did you mean 'Class1'"),
    "no visit": (
        '<visit customerclass="Class2">6.0</visit>',
        "",
        r"station 'WS': visits: must give a value for class 'Class2'",
    ),
    "a reference": (
        'refStation="Users"',
        'refStation="User"',
        r"ReferenceStation: class 'Class1' = 'User': must name a station",
    ),
    "an idle reference": (
        '<visit customerclass="Class1">1.0</visit>',
        '<visit customerclass="Class1">0.0</visit>',
        r"ReferenceStation: class 'Class1' = 'Users': must visit it",
    ),
    "a priority": ('priority="0"', 'priority="high"', r"class 'Class1': priority = 'high': must be a whole number"),
    "servers": ('name="WS" servers="1"', 'name="WS" servers="0"', r"station 'WS': servers = 0"),
    "a name twice": ('name="DB"', 'name="WS"', r"name = 'WS': must be unique"),
    "no name": ('<closedclass name="Class1"', "<closedclass", r"classes\[1\]: <closedclass> has no name"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name: str, tmp_path: Path) -> None:
    """What is wrong with a file is one line: file, item, value, rule, repair."""
    old, new, message = BAD[name]
    assert old in GOOD
    path = tmp_path / "bad.jmva"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(ModelError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_bytes_and_depth(tmp_path: Path) -> None:
    """A file is read in the encoding that it declares; garbage and deep nesting end in one line."""
    path = tmp_path / "model.jmva"
    path.write_bytes(GOOD.replace("UTF-8", "ISO-8859-1").replace("WS", "W\xd6").encode("iso-8859-1"))
    assert load(path).stations[0].name == "W\xd6"
    for raw in (b"\x00\xff\xfe", GOOD.replace("UTF-8", "klingon").encode(), b"<a>" * 200_000):
        path.write_bytes(raw)
        with pytest.raises(ModelError, match="is not valid XML"):
            load(path)
    path.write_bytes(b"<model>" * 200_000 + b"</model>" * 200_000)
    with pytest.raises(ModelError, match="has no <parameters>"):
        load(path)


LOADED = """<model><parameters><classes number="2"><closedclass name="a" population="2"/><closedclass name="b" population="1"/>
</classes><stations number="2"><delaystation name="z"><servicetimes><servicetime customerclass="a">1</servicetime>
<servicetime customerclass="b">4</servicetime></servicetimes><visits><visit customerclass="a">1</visit>
<visit customerclass="b">1</visit></visits></delaystation><ldstation name="pool" servers="1"><servicetimes>
<servicetimes customerclass="a">0.6;0.3;0.2</servicetimes><servicetimes customerclass="b">1.2;0.6;0.4</servicetimes>
</servicetimes><visits><visit customerclass="a">1</visit><visit customerclass="b">1</visit></visits></ldstation></stations>
<ReferenceStation number="2"><Class name="a" refStation="z"/><Class name="b" refStation="z"/></ReferenceStation>
</parameters></model>"""


def test_load_dependent_stations() -> None:
    """One service time for each number of jobs becomes the speeds; classes must agree on them."""
    model = loads(LOADED, format="jmva")
    assert model.stations == (LoadDependent("pool", rates=[0.6 / 0.6, 0.6 / 0.3, 0.6 / 0.2]),)
    result = solve(model)
    assert result["a"].throughput == pytest.approx(2 / 1.6, rel=1e-12)  # as many servers as jobs
    assert result["b"].throughput == pytest.approx(1 / 5.2, rel=1e-12)
    assert loads(LOADED.replace(";", ","), format="jmva") == model
    single = LOADED.replace("0.6;0.3;0.2", "0.6").replace("1.2;0.6;0.4", "1.2").replace('servers="1"', 'servers="3"')
    assert loads(single, format="jmva").stations == (Queue("pool", servers=3),)
    for old, new, message in (
        ("1.2;0.6;0.4", "1.2;0.6;0.5", "must change with the number of jobs like those of the other classes"),
        ("0.6;0.3;0.2", "0.6;0;0.2", "class 'a', 2 jobs = 0.0: must be above 0"),
        ('servers="1"', 'servers="2"', "servers = 2.0: must be 1 for a station with a service time for each number of jobs"),
    ):
        with pytest.raises(ModelError, match=message):
            loads(LOADED.replace(old, new), format="jmva")


def test_notes_of_reading() -> None:
    """An algorithm that qnsolve does not have, and a missing reference station, are reported."""
    with pytest.warns(ImportNote, match="algorithm 'Chow' is ignored"):
        loads(GOOD.replace('name="MVA" tolerance', 'name="Chow" tolerance'), format="jmva")
    bare = re.sub(r"(?s)<ReferenceStation.*</ReferenceStation>", "", GOOD)
    with pytest.warns(ImportNote, match="has no reference station") as caught:
        model = loads(bare, format="jmva")
    assert len(caught) == 2
    assert Delay("Users") in model.stations
