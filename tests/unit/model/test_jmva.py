"""JMVA files: what JMT prints, written and read back."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
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
from qnsolve.cli.main import main
from qnsolve.methods.solve import methods

from tests import DATA
from tests.support import zoo

FOLDER = DATA / "jmva"
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


def test_a_what_if_section_is_reported_and_left_out() -> None:
    """The model of a what-if file is solved as it is, and a note says so."""
    with pytest.warns(ImportNote, match=r"what-if\.jmva: only the model itself is read"):
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
        with pytest.raises(ModelError, match="cannot be written in a JMVA model"):
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
    with pytest.warns(ImportNote, match="file was changed since qnsolve wrote it"):
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
    with pytest.raises(ModelError, match=r"format = 'toml': cannot hold results; save result\.model"):
        save(result, tmp_path / "model.toml")


def test_results_of_an_approximate_method_say_so() -> None:
    """Approximate results go by JMT's name of the method; a method that JMT does not have is refused."""
    model = Network([Queue("cpu"), Queue("disk")], [ClosedClass("a", population=3, demands={"cpu": 0.1, "disk": 0.2})])
    for method, name in (("linearizer", "Linearizer"), ("schweitzer", "Bard-Schweitzer"), ("convolution", "MVA")):
        text = dumps(solve(model, method=method), format="jmva")
        assert f'<algorithm name="{name}"' in text
        assert loads(text, format="jmva") == model
    with pytest.raises(ModelError, match=r"method = 'asymptotic': must be a method of JMT; save result\.model"):
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
    assert err == f"note: {FOLDER / 'what-if.jmva'}: only the model itself is read; its what-if section is left out\n"
    assert main(["convert", toml, str(tmp_path / "model.xml")]) == 2
    assert "must write .toml, .json or .jmva" in capsys.readouterr().err
    save(MIXED.replace("cpu", discipline="preemptive"), toml)
    assert main(["convert", toml, jmva]) == 2
    assert capsys.readouterr().err.startswith(f"{jmva}: station 'cpu': discipline = 'preemptive': cannot be written")
