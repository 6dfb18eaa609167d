"""Model files that are wrong, each with what the one-line error has to name: the item, the value, the repair."""

from __future__ import annotations

from typing import NamedTuple

STATION = '[[stations]]\nname = "cpu"\n'
CLASS = '[[classes]]\nname = "query"\npopulation = 3\ndemands = { cpu = 0.5 }\n'
GOOD = STATION + CLASS


class Bad(NamedTuple):
    """A file's content, and the parts of the message it must lead to."""

    content: str | bytes
    parts: tuple[str, ...]
    file: str = "model.toml"


def _class(lines: str) -> str:
    return f'{STATION}[[classes]]\nname = "query"\n{lines}\n'


def _station(lines: str) -> str:
    return f'[[stations]]\nname = "cpu"\n{lines}\n{CLASS}'


def _number(item: str, written: str, shown: str, *parts: str) -> Bad:
    """A class whose item has a wrong number; the message has the item and the number."""
    rest = {"population": "", "arrival_rate": ""}.get(item, "population = 3\n")
    demands = "" if item == "demands" else "demands = { cpu = 0.5 }\n"
    line = f"demands = {{ cpu = {written} }}" if item == "demands" else f"{item} = {written}"
    place = "demands['cpu']" if item == "demands" else item
    return Bad(_class(rest + demands + line), ("class 'query'", place, f"= {shown}", *parts))


def _json(content: str, *parts: str) -> Bad:
    return Bad(content, parts, "model.json")


FILES = {
    "empty": Bad("", ("file", "is empty", "[[stations]]")),
    "blank": Bad(" \n\n\t\n", ("file", "is empty", "[[stations]]")),
    "empty JSON": _json("", "file", "is empty"),
    "binary": Bad(bytes(range(256)), ("file", "UTF-8")),
    "binary with zeros": Bad(b"\0\1\2\3" * 50, ("file", "is binary", "TOML or JSON")),
    "UTF-16": Bad(GOOD.encode("utf-16"), ("file", "is UTF-16", "save it as UTF-8")),
    "UTF-16, big endian": Bad(b"\xfe\xff" + GOOD.encode("utf-16-be"), ("file", "is UTF-16", "save it as UTF-8")),
    "Latin 1": Bad(GOOD.replace("cpu", "cpü").encode("latin-1"), ("file", "is not valid UTF-8", "UTF-8")),
    "malformed TOML": Bad('[[stations]\nname = "cpu"', ("file", "is not valid TOML", "line 1")),
    "decimal comma": Bad("[[stations]]\nservice = 0,25  # s", ("line 2", "write 0.25, with a point")),
    "comma of thousands": Bad("[[work]]\nrate = 1,500", ("line 2", "write 1500 or 1.500, whichever it is")),
    "decimal comma in a table": Bad("[[lpars]]\nziips = { cores = 2, speed = 1,5 }", ("line 2", "write 1.5, with a point")),
    "TOML key twice": Bad('name = "a"\nname = "b"\n' + GOOD, ("file", "is not valid TOML", "line 2")),
    "malformed JSON": _json('{"stations": [', "file", "is not valid JSON", "line 1"),
    "JSON key twice": _json('{"name": "a", "name": "b"}', "must not be given twice", "'name'", "keep one"),
    "JSON key twice, deep": _json(
        '{"stations": [{"name": "cpu"}], "classes": [{"name": "q", "population": 1, "demands": {"cpu": 1, "cpu": 2}}]}',
        "must not be given twice",
        "'cpu'",
        "keep one",
    ),
    "JSON list": _json("[1, 2]", "file", "[1, 2]", "must be a table"),
    "JSON number": _json("3", "file", "= 3", "must be a table"),
    "JSON null": _json("null", "file", "None", "must be a table"),
    "JSON nested without end": _json("[" * 100_000, "file", "nested too deeply"),
    "JSON of another name": Bad("{", ("file", "is not valid JSON"), "model.txt"),
}

NAMES = {
    "no stations": Bad(CLASS, ("stations", "must not be empty", "[[stations]]")),
    "no classes": Bad(STATION, ("classes", "must not be empty", "[[classes]]")),
    "unknown key at the top": Bad("colour = 1\n" + GOOD, ("colour", "unknown key", "known: name, time_unit")),
    "misspelt key at the top": Bad('time_units = "s"\n' + GOOD, ("time_units", "unknown key", "did you mean 'time_unit'?")),
    "unknown key of a station": Bad(_station("server = 2"), ("station 'cpu'", "server", "did you mean 'servers'?")),
    "unknown key of a class": Bad(GOOD + "think = 2", ("class 'query'", "think", "did you mean 'think_time'?")),
    "unknown key of a limit": Bad(GOOD + '[[limits]]\nname = "MXT"\ncap = 4', ("limit 'MXT'", "cap", "known: capacity")),
    "stations is no list": Bad('stations = "cpu"\n' + CLASS, ("stations", "'cpu'", "must be a list", "[[stations]]")),
    "stations is one table": Bad('[stations]\nname = "cpu"\n' + CLASS, ("stations", "must be a list", "[[stations]]")),
    "a station is a text": Bad('stations = ["cpu"]\n' + CLASS, ("stations[1]", "'cpu'", "must be a table")),
    "station without name": Bad(
        "[[stations]]\nservers = 2\n" + CLASS, ("stations[1]", "must have a name", "give the station a name")
    ),
    "class without name": Bad(
        STATION + "[[classes]]\npopulation = 2", ("classes[1]", "must have a name", "give the class a name")
    ),
    "limit without name": Bad(GOOD + "[[limits]]\ncapacity = 2", ("limits[1]", "must have a name", "give the limit a name")),
    "station name empty": Bad('[[stations]]\nname = ""\n' + CLASS, ("stations[1]", "name", "''", "must not be empty")),
    "station name blank": Bad('[[stations]]\nname = "  "\n' + CLASS, ("stations[1]", "name", "must not be empty")),
    "station name a number": Bad(
        "[[stations]]\nname = 5\n" + CLASS, ("stations[1]", "name", "= 5", "must be a text", "quotes")
    ),
    "station name of two lines": Bad('[[stations]]\nname = "a\\nb"\n' + CLASS, ("stations[1]", "'a\\nb'", "must be one line")),
    "station name padded": Bad('[[stations]]\nname = "cpu "\n' + CLASS, ("stations[1]", "'cpu '", "blanks")),
    "class name empty": Bad(GOOD.replace('"query"', '""'), ("classes[1]", "name", "''", "must not be empty")),
    "model name empty": Bad('name = ""\n' + GOOD, ("name", "''", "must not be empty")),
    "model name a number": Bad("name = 3\n" + GOOD, ("name", "= 3", "must be a text")),
    "two stations of a name": Bad(STATION + GOOD, ("name", "'cpu'", "must be unique", "rename")),
    "two classes of a name": Bad(GOOD + CLASS, ("name", "'query'", "must be unique", "rename")),
    "two limits of a name": Bad(
        GOOD + '[[limits]]\nname = "MXT"\ncapacity = 1\n' * 2, ("limit", "'MXT'", "must be unique", "rename")
    ),
    "two names of one case": Bad('[[stations]]\nname = "CPU"\n' + GOOD, ("'CPU'", "'cpu'", "differs only in case", "rename")),
    "station and class of a name": Bad(GOOD.replace('"query"', '"cpu"'), ("name", "'cpu'", "stations and classes", "rename")),
    "station and class of one case": Bad(
        GOOD.replace('"query"', '"Cpu"'), ("'Cpu'", "'cpu'", "differs only in case", "rename")
    ),
    "demand for an unknown station": Bad(
        _class("population = 3\ndemands = { cpi = 1 }"), ("'query'", "'cpi'", "did you mean 'cpu'?")
    ),
    "limit on an unknown class": Bad(
        GOOD + '[[limits]]\nname = "MXT"\ncapacity = 1\nclasses = ["quary"]',
        ("limit 'MXT'", "'quary'", "did you mean 'query'?"),
    ),
    "limit on an unknown station": Bad(
        GOOD + '[[limits]]\nname = "MXT"\ncapacity = 1\nstations = ["disk"]', ("limit 'MXT'", "'disk'", "known: cpu")
    ),
    "limit on nothing": Bad(
        GOOD + '[[limits]]\nname = "MXT"\ncapacity = 1\nclasses = []', ("limit 'MXT'", "classes", "leave it out")
    ),
    "limit without capacity": Bad(
        GOOD + '[[limits]]\nname = "MXT"', ("limit 'MXT'", "capacity", "is missing", "write capacity")
    ),
    "limit of no job": Bad(GOOD + '[[limits]]\nname = "MXT"\ncapacity = 0', ("limit 'MXT'", "capacity", "= 0", "within 1")),
    "unknown type": Bad(_station('type = "queu"'), ("station 'cpu'", "type", "'queu'", "did you mean 'queue'?")),
    "unknown discipline": Bad(
        _station('discipline = "lifo"'), ("station 'cpu'", "discipline", "'lifo'", "must be one of 'ps', 'fcfs'")
    ),
    "unknown time unit": Bad(
        'time_unit = "min"\n' + GOOD, ("time_unit", "'min'", "must be one of 's', 'ms', 'us'; take one of these")
    ),
    "time unit is a number": Bad(
        "time_unit = 1\n" + GOOD, ("time_unit", "= 1", "must be one of 's', 'ms', 'us'; take one of these")
    ),
    "servers of a delay": Bad(_station('type = "delay"\nservers = 2'), ("station 'cpu'", "servers", "= 2", "remove it")),
    "rates of a queue": Bad(_station("rates = [1, 2]"), ("station 'cpu'", "rates", "[1, 2]", "change the type")),
}

CLASSES = {
    "demands with visits": Bad(
        _class("population = 3\ndemands = { cpu = 1 }\nvisits = { cpu = 1 }\nservice_times = { cpu = 1 }"),
        ("class 'query'", "demands", "visits", "gives both", "keep one and remove the other"),
    ),
    "demands with service times": Bad(
        _class("population = 3\ndemands = { cpu = 1 }\nservice_times = { cpu = 1 }"),
        ("class 'query'", "gives both", "keep one and remove the other"),
    ),
    "visits alone": Bad(
        _class("population = 3\nvisits = { cpu = 1 }"), ("class 'query'", "service_times", "give both for cpu")
    ),
    "service times alone": Bad(
        _class("population = 3\nservice_times = { cpu = 1 }"), ("class 'query'", "visits", "give both for cpu")
    ),
    "visits and service times of different stations": Bad(
        '[[stations]]\nname = "disk"\n' + _class("population = 3\nvisits = { cpu = 1 }\nservice_times = { disk = 1 }"),
        ("class 'query'", "must name the same stations", "give both for cpu, disk"),
    ),
    "neither demands nor visits": Bad(_class("population = 3"), ("class 'query'", "demands", "gives neither", "write demands")),
    "demands is a number": Bad(
        _class("population = 3\ndemands = 0.5"), ("class 'query'", "demands", "= 0.5", "station = number")
    ),
    "no demand and no think time": Bad(
        _class("population = 3\ndemands = { cpu = 0 }"),
        ("class 'query'", "demands", "a think_time", "give it a demand above 0"),
    ),
    "no demand at all": Bad(_class("population = 3\ndemands = {}"), ("class 'query'", "demands", "give it a demand above 0")),
    "open without demand": Bad(
        _class("arrival_rate = 3\ndemands = {}"), ("class 'query'", "demands", "give it a demand above 0")
    ),
    "open with think time": Bad(
        _class("arrival_rate = 3\nthink_time = 1.5\ndemands = { cpu = 0.1 }"), ("'query'", "think_time", "= 1.5", "remove it")
    ),
    "population and arrival rate": Bad(
        _class("arrival_rate = 3\npopulation = 3\ndemands = { cpu = 0.1 }"),
        ("'query'", "population, arrival_rate", "both", "keep one"),
    ),
    "neither population nor arrival rate": Bad(
        _class("demands = { cpu = 0.1 }"), ("'query'", "population, arrival_rate", "gives neither", "write population")
    ),
}

NUMBERS = {
    "population of two and a half": _number("population", "2.5", "2.5", "whole number", "write 2 or 3"),
    "population negative": _number("population", "-1", "-1", "0 or more"),
    "population nan": _number("population", "nan", "nan", "must be finite"),
    "population infinite": _number("population", "inf", "inf", "must be finite"),
    "population a text": _number("population", '"60"', "'60'", "without quotes"),
    "population true": _number("population", "true", "True", "must be a number"),
    "population too large": _number("population", "1000000001", "1000000001", "must lie within"),
    "arrival rate negative": _number("arrival_rate", "-0.5", "-0.5", "0 or more"),
    "arrival rate nan": _number("arrival_rate", "nan", "nan", "must be finite"),
    "arrival rate a list": _number("arrival_rate", "[1]", "[1]", "must be a number"),
    "think time negative": _number("think_time", "-12", "-12", "check the sign"),
    "think time infinite": _number("think_time", "inf", "inf", "must be finite"),
    "think time false": _number("think_time", "false", "False", "must be a number"),
    "think time a date": _number("think_time", "2024-02-29", "datetime.date(2024, 2, 29)", "must be a number"),
    "think time enormous": _number("think_time", "1e300", "1e+300", "check the unit"),
    "demand negative": _number("demands", "-0.1", "-0.1", "check the sign"),
    "demand nan": _number("demands", "nan", "nan", "must be finite"),
    "demand infinite": _number("demands", "-inf", "-inf", "must be finite"),
    "demand a text": _number("demands", '"0,5"', "'0,5'", "plain number"),
    "demand true": _number("demands", "true", "True", "must be a number"),
    "demand a table": _number("demands", "{ a = 1 }", "{'a': 1}", "must be a number"),
    "demand tiny": _number("demands", "1e-200", "1e-200", "check the unit"),
    "service variation of a station not visited": Bad(
        _class("population = 3\ndemands = { cpu = 0.5 }\nservice_variation = { cpv = 2 }"),
        ("class 'query'", "service_variation", "'cpv'", "does not visit", "did you mean 'cpu'?"),
    ),
    "service variation negative": Bad(
        _class("population = 3\ndemands = { cpu = 0.5 }\nservice_variation = { cpu = -2 }"),
        ("class 'query'", "service_variation['cpu']", "= -2", "check the sign"),
    ),
    "service variation a number": Bad(
        _class("population = 3\ndemands = { cpu = 0.5 }\nservice_variation = 2"),
        ("class 'query'", "service_variation", "a number for each station"),
    ),
    "arrival variation of a closed class": Bad(
        _class("population = 3\ndemands = { cpu = 0.5 }\narrival_variation = 2"),
        ("class 'query'", "arrival_variation", "is allowed only with arrival_rate", "remove it"),
    ),
    "batch below one": Bad(
        _class("arrival_rate = 1\ndemands = { cpu = 0.5 }\nbatch_size = 0.5"),
        ("class 'query'", "batch_size = 0.5", "1 or more"),
    ),
    "batch variation of single jobs": Bad(
        _class("arrival_rate = 1\ndemands = { cpu = 0.5 }\nbatch_variation = 0.5"),
        ("class 'query'", "batch_variation = 0.5", "must be 0 where batch_size is 1"),
    ),
    "batch variation that whole jobs cannot have": Bad(
        _class("arrival_rate = 1\ndemands = { cpu = 0.5 }\nbatch_size = 2.5\nbatch_variation = 0.01"),
        ("class 'query'", "batch_variation = 0.01", "must be at least 0.04", "write 0 for the least possible"),
    ),
    "priority zero": _number("priority", "0", "0", "within 1"),
    "priority a half": _number("priority", "1.5", "1.5", "whole number"),
    "servers zero": Bad(_station("servers = 0"), ("station 'cpu'", "servers", "= 0", "above 0")),
    "servers negative": Bad(_station("servers = -1"), ("station 'cpu'", "servers", "= -1", "above 0")),
    "servers too many": Bad(_station("servers = 1000001"), ("station 'cpu'", "servers", "1000001", "within 1e-06 and 1000000")),
    "servers tiny": Bad(_station("servers = 1e-9"), ("station 'cpu'", "servers", "1e-09", "within 1e-06 and 1000000")),
    "servers true": Bad(_station("servers = true"), ("station 'cpu'", "servers", "True", "must be a number")),
    "rates missing": Bad(_station('type = "load_dependent"'), ("station 'cpu'", "rates", "is missing", "write rates")),
    "rates empty": Bad(_station('type = "load_dependent"\nrates = []'), ("station 'cpu'", "rates", "[]", "write [1.0")),
    "rates a number": Bad(_station('type = "load_dependent"\nrates = 2'), ("station 'cpu'", "rates", "= 2", "must be a list")),
    "rates with a zero": Bad(_station('type = "load_dependent"\nrates = [1, 0]'), ("rates[2]", "= 0", "above 0")),
    "rates with a text": Bad(_station('type = "load_dependent"\nrates = [1, "2"]'), ("rates[2]", "'2'", "without quotes")),
    "rates with a nan": Bad(_station('type = "load_dependent"\nrates = [nan]'), ("rates[1]", "nan", "must be finite")),
    "speeds missing": Bad(_station('type = "load_dependent"\njobs = 3'), ("station 'cpu': contention", "is missing")),
    "speeds twice": Bad(
        _station('type = "load_dependent"\nrates = [1]\nserver_speeds = [1]'),
        ("station 'cpu'", "in one way only, not by rates, server_speeds", "keep rates, or server_speeds"),
    ),
    "speeds of a queue": Bad(_station("server_speeds = [1]"), ("server_speeds", "is not allowed with type 'queue'")),
    "speeds out of order": Bad(
        _station('type = "load_dependent"\nserver_speeds = [0.5, 1]'), ("server_speeds", "[0.5, 1.0]", "the fastest first")
    ),
    "speeds none": Bad(_station('type = "load_dependent"\nserver_speeds = []'), ("server_speeds", "at least one speed")),
    "contention too much": Bad(
        _station('type = "load_dependent"\ncontention = 3\ncoherency = 0\njobs = 2'), ("contention", "= 3", "within 0 and 1")
    ),
    "jobs a half": Bad(
        _station('type = "load_dependent"\ncontention = 0\ncoherency = 0\njobs = 2.5'), ("jobs", "= 2.5", "a whole number")
    ),
    "rates far apart": Bad(_station('type = "load_dependent"\nrates = [1, 1e12]'), ("rates", "1e9", "check the unit")),
}

_AS_JSON = '{"stations": [{"name": "cpu"}], "classes": [{"name": "query", "population": 3, "demands": {"cpu": %s}}]}'
JSON = {
    f"JSON {name}": _json(_AS_JSON % written, "class 'query'", "demands['cpu']", f"= {shown}", rule)
    for name, written, shown, rule in (
        ("NaN", "NaN", "nan", "must be finite"),
        ("Infinity", "Infinity", "inf", "must be finite"),
        ("minus Infinity", "-Infinity", "-inf", "must be finite"),
        ("overflow", "1e999", "inf", "must be finite"),
        ("null", "null", "None", "must be a number"),
        ("text", '"1"', "'1'", "without quotes"),
        ("true", "true", "True", "must be a number"),
        ("list", "[1]", "[1]", "must be a number"),
        ("very long integer", "1" + "0" * 400, "1000", "must be finite"),
    )
}

BAD: dict[str, Bad] = {**FILES, **NAMES, **CLASSES, **NUMBERS, **JSON}
