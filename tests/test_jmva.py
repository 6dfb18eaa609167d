"""JMVA files: what JMT prints, written and read back, and what is wrong with one in one line."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import zoo
from qnsolve import (
    AdmissionLimit,
    ClosedClass,
    Delay,
    ImportNote,
    LoadDependent,
    ModelError,
    Network,
    OpenClass,
    Queue,
    Solution,
    dumps,
    load,
    loads,
    save,
    solve,
)
from qnsolve.cli import main
from qnsolve.solve import methods

FOLDER = Path(__file__).parent / "data" / "jmva"
PUBLISHED = ["lazowska-6", "one-job", "two-classes"]  # of two-classes, visits to disks 2 and 3 as its throughputs have them
Figures = dict[tuple[str, str, str], float]


def printed(text: str) -> Figures:
    """The figures of a file's first section <solutions>: by station, class and kind."""
    section = ET.fromstring(text).find("solutions")
    assert section is not None
    return {
        (place.attrib["station"], row.attrib["customerclass"], measure.attrib["measureType"]): float(
            measure.attrib["meanValue"]
        )
        for place in section.iter("stationresults")
        for row in place.iter("classresults")
        for measure in row.iter("measure")
    }


def plain(text: str) -> str:
    """A file as JMT would write it: without what qnsolve keeps in it."""
    return re.sub(r"<\?qnsolve.*?\?>", "", text)


@pytest.mark.parametrize("name", PUBLISHED)
def test_figures_of_jmt(name: str) -> None:
    """JMT's own results of a model come out again, to the last digits, in the file that is written too."""
    published = printed((FOLDER / f"{name}.jmva").read_text(encoding="utf-8"))
    found = solve(load(FOLDER / f"{name}.jmva"), method="exact")
    written = printed(dumps(found, format="jmva"))
    compared = 0
    for (station, job_class, kind), value in published.items():
        place = station if (station, job_class, kind) in written else "think time"
        assert written[place, job_class, kind] == pytest.approx(value, rel=1e-12, abs=1e-15)
        compared += 1
    assert compared == len(published) >= 16


def test_throughput_is_that_of_the_reference_station() -> None:
    """A class's throughput is JMT's at its reference station; visits are for one passage of it."""
    text = (FOLDER / "lazowska-6.jmva").read_text(encoding="utf-8").replace('refStation="Terminal"', 'refStation="Disk1"')
    model = loads(text, format="jmva")
    published = printed(text)
    (job_class,) = model.classes
    assert job_class.visits == {"CPU": 121 / 70, "Disk1": 1.0, "Disk2": 50 / 70, "Terminal": 1 / 70}
    assert solve(model)["Class1"].throughput == pytest.approx(published["Disk1", "Class1", "Throughput"], rel=1e-12)


def test_a_what_if_section_is_told_and_left_out() -> None:
    """The model of a what-if file is solved as it is, and a note says so."""
    with pytest.warns(ImportNote, match=r"what-if\.jmva: the what-if section is left out"):
        model = load(FOLDER / "what-if.jmva")
    published = printed((FOLDER / "what-if.jmva").read_text(encoding="utf-8"))
    assert solve(model)["Class1", "CPU"].queue_length == pytest.approx(
        published["CPU", "Class1", "Number of Customers"], rel=1e-12
    )


@pytest.mark.parametrize("name", zoo.every_model())
def test_round_trip(name: str) -> None:
    """A written model is read back as the same model, to the last digit, and written the same again."""
    model = zoo.every_model()[name]
    if model.limits or any(isinstance(s, Queue) and s.discipline not in ("ps", "fcfs") for s in model.stations):
        with pytest.raises(ModelError, match="has no place in a JMVA model"):
            dumps(model, format="jmva")
        return
    text = dumps(model, format="jmva")
    assert loads(text, format="jmva") == model
    assert dumps(loads(text, format="jmva"), format="jmva") == text


@pytest.mark.parametrize("name", zoo.every_model())
def test_what_jmt_would_read_means_the_same(name: str) -> None:
    """Without what qnsolve keeps in the file, the model that is read has the same solution."""
    model = zoo.every_model()[name]
    accepting = [report.name for report in methods(model) if report.accepts and report.exact and report.name != "markov"]
    ours = solve(model, method=accepting[0])
    theirs = solve(loads(plain(dumps(model, format="jmva")), format="jmva"), method="exact")
    for c in model.classes:
        assert theirs[c.name].throughput == pytest.approx(ours[c.name].throughput, rel=1e-10)
        if ours[c.name].throughput > 0:
            for s in model.stations:
                if c.demand(s.name) > 0:
                    assert theirs[c.name, s.name].residence_time == pytest.approx(
                        ours[c.name, s.name].residence_time, rel=1e-9, abs=1e-300
                    )


MIXED = Network(
    [Queue("cpu", servers=2), LoadDependent("pool", rates=[1.0, 1.5, 1.75, 1.75]), Delay("net"), Queue("log <&> ?>")],
    [
        ClosedClass("a > b", population=3, think_time=2.0, demands={"cpu": 0.5, "pool": 0.4, "log <&> ?>": 0.1}, priority=2),
        OpenClass("web", arrival_rate=0.5, visits={"cpu": 2, "net": 1}, service_times={"cpu": 0.1, "net": 0.3}, priority=5),
        ClosedClass("batch", population=2, visits={"pool": 4}, service_times={"pool": 0.1}),
    ],
    name="site ?> one",
    time_unit="ms",
)


def test_everything_round_trips(tmp_path: Path) -> None:
    """Names, units, priorities, think times, demands and visits, open and closed, come back as they were."""
    save(MIXED, tmp_path / "model.jmva")
    assert load(tmp_path / "model.jmva") == MIXED
    bare = loads(plain(dumps(MIXED, format="jmva")), format="jmva")
    assert [c.priority for c in bare.classes] == [2 - 0, 5, 1]
    assert bare.stations[1] == LoadDependent("pool", rates=[1.0, 1.5, 1.75])
    assert bare.stations[0] == Queue("cpu", servers=2)
    assert bare.name == MIXED.name
    result = solve(MIXED)
    again = solve(bare)
    for c in MIXED.classes:
        assert again[c.name].response_time == pytest.approx(result[c.name].response_time, rel=1e-12)


def test_a_changed_file_is_read_as_it_is() -> None:
    """What qnsolve kept is dropped, with a note, once somebody has changed the file."""
    text = dumps(MIXED, format="jmva").replace('population="3"', 'population="4"')
    with pytest.warns(ImportNote, match="changed since qnsolve wrote it"):
        model = loads(text, format="jmva")
    assert model.classes[0].population == 4
    assert model.time_unit == "s"


def test_a_solution_is_saved_with_its_results(tmp_path: Path) -> None:
    """A solution's results are in the file that it is saved to, by JMT's names."""
    result = solve(MIXED)
    assert isinstance(result, Solution)
    save(result, tmp_path / "model.jmva")
    figures = printed((tmp_path / "model.jmva").read_text(encoding="utf-8"))
    assert figures["think time", "a > b", "Number of Customers"] == pytest.approx(2.0 * result["a > b"].throughput)
    assert figures["cpu", "web", "Throughput"] == pytest.approx(2 * 0.5)
    assert figures["net", "web", "Utilization"] == pytest.approx(0.15)
    assert load(tmp_path / "model.jmva") == MIXED
    with pytest.raises(ModelError, match=r"format = 'toml': holds no results; save result\.model"):
        save(result, tmp_path / "model.toml")


def test_results_of_an_approximate_method_say_so() -> None:
    """Approximate results go by JMT's name of the method; a method that JMT does not have is refused."""
    model = Network([Queue("cpu"), Queue("disk")], [ClosedClass("a", population=3, demands={"cpu": 0.1, "disk": 0.2})])
    for method, name in (("linearizer", "Linearizer"), ("schweitzer", "Bard-Schweitzer"), ("convolution", "MVA")):
        text = dumps(solve(model, method=method), format="jmva")
        assert f'<algorithm name="{name}"' in text
        assert loads(text, format="jmva") == model
    with pytest.raises(ModelError, match=r"method = 'asymptotic': is none of JMT's; save result\.model"):
        dumps(replace(solve(model), method="asymptotic", exact=False), format="jmva")


@pytest.mark.parametrize(
    ("change", "item"),
    [
        ({"stations": [Queue("cpu"), Queue("pool"), Delay("net"), Queue("log <&> ?>", on="cpu")]}, "station 'log <&> ?>': on"),
        ({"limits": [AdmissionLimit(3, name="MXT")]}, "limit 'MXT'"),
        ({"stations": [Queue("cpu", discipline="preemptive"), *MIXED.stations[1:]]}, "station 'cpu': discipline"),
        ({"stations": [Queue("cpu", discipline="fcfs"), *MIXED.stations[1:]]}, "station 'cpu': discipline"),
    ],
)
def test_what_jmva_has_no_place_for(change: dict[str, list[object]], item: str) -> None:
    """What would mean something else in JMVA is refused."""
    parts = {"stations": MIXED.stations, "classes": MIXED.classes, **change}
    with pytest.raises(ModelError, match=re.escape(item)):
        dumps(Network(**parts), format="jmva")  # type: ignore[arg-type]


GOOD = (FOLDER / "two-classes.jmva").read_text(encoding="utf-8")
BAD = {
    "no XML": ("</model>", "", r"file: is no XML: no element found"),
    "nothing": (GOOD, "<", r"file: is no XML"),
    "no model": (GOOD, "<archive/>", r"file: is no JMVA model: its root is <archive>; save it in JMVA"),
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
    "counts": ('classes number="2"', 'classes number="3"', r"classes: number = '3': must be how many there are: 2"),
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
        r"station 'WS': visits: gives nothing for class 'Class2'",
    ),
    "a reference": ('refStation="Users"', 'refStation="User"', r"ReferenceStation: class 'Class1' = 'User': is no station"),
    "an idle reference": (
        '<visit customerclass="Class1">1.0</visit>',
        '<visit customerclass="Class1">0.0</visit>',
        r"ReferenceStation: class 'Class1' = 'Users': never comes there",
    ),
    "a priority": ('priority="0"', 'priority="high"', r"class 'Class1': priority = 'high': must be a whole number"),
    "servers": ('name="WS" servers="1"', 'name="WS" servers="0"', r"station 'WS': servers = 0"),
    "a name twice": ('name="DB"', 'name="WS"', r"name = 'WS': must be unique"),
    "no name": ('<closedclass name="Class1"', "<closedclass", r"classes\[1\]: <closedclass> has no name"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name: str, tmp_path: Path) -> None:
    """What is wrong with a file is told in one line: file, item, value, rule, repair."""
    old, new, told = BAD[name]
    assert old in GOOD
    path = tmp_path / "bad.jmva"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(ModelError, match=told) as caught:
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
        with pytest.raises(ModelError, match="is no XML"):
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
    for old, new, told in (
        ("1.2;0.6;0.4", "1.2;0.6;0.5", "must change with the number of jobs as that of the other classes does"),
        ("0.6;0.3;0.2", "0.6;0;0.2", "class 'a', 2 jobs = 0.0: must be above 0"),
        ('servers="1"', 'servers="2"', "servers = 2.0: goes with one service time for each class"),
    ):
        with pytest.raises(ModelError, match=told):
            loads(LOADED.replace(old, new), format="jmva")


def test_notes_of_reading() -> None:
    """An algorithm that qnsolve does not have, and a missing reference station, are told."""
    with pytest.warns(ImportNote, match="algorithm 'Chow' is left out"):
        loads(GOOD.replace('name="MVA" tolerance', 'name="Chow" tolerance'), format="jmva")
    bare = re.sub(r"(?s)<ReferenceStation.*</ReferenceStation>", "", GOOD)
    with pytest.warns(ImportNote, match="has no reference station") as told:
        model = loads(bare, format="jmva")
    assert len(told) == 2
    assert Delay("Users") in model.stations


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`convert` writes the format that the name ends in, `solve` takes a .jmva file, and notes go to stderr."""
    toml, jmva, back = (str(tmp_path / name) for name in ("model.toml", "model.jmva", "back.json"))
    save(MIXED, toml)
    assert main(["convert", toml, jmva]) == 0
    assert main(["convert", jmva, back]) == 0
    assert load(back) == MIXED
    assert capsys.readouterr().out == f"written: {jmva}\nwritten: {back}\n"
    assert main(["solve", str(FOLDER / "what-if.jmva"), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["classes"][0]["throughput"] == pytest.approx(0.15399860080317224, rel=1e-12)
    assert err == f"note: {FOLDER / 'what-if.jmva'}: the what-if section is left out: what is read is the model itself\n"
    assert main(["convert", toml, str(tmp_path / "model.xml")]) == 2
    assert "must write .toml, .json or .jmva" in capsys.readouterr().err
    save(MIXED.replace("cpu", discipline="preemptive"), toml)
    assert main(["convert", toml, jmva]) == 2
    assert capsys.readouterr().err.startswith(f"{jmva}: station 'cpu': discipline = 'preemptive': has no place")
