"""Short forms of system files: equal regions once, patterns of names, times and sizes with units."""

from __future__ import annotations

import pytest
import qnsolve as qn
from qnsolve.errors import ModelError
from qnsolve.files.short_forms import in_full
from qnsolve.files.system_templates import TEMPLATES, still_of_template, template_text
from qnsolve.files.text import parsed

SHORT = """
lpars = [{ name = "PROD", processors = 4, ziips = 2 }]
regions = [{ name = ["TOR1", "TOR2"], mxt = 400 }, { name = ["AOR1", "AOR2", "AOR3"] }]
devices = [{ name = "Db2" }]
loggers = [{ name = "LOG", seconds_per_mib = ["2 ms", 0.004] }]
[[work]]
name = "orders"
users = 100
think_time = "2 s"
[[work.steps]]
regions = "TOR*"
qr_cpu = "150us"
[[work.steps]]
regions = ["AOR3", "AOR*"]
shares = [3, 1, 1]
qr_cpu = "0.8 ms"
devices = { Db2 = "5 ms" }
log_bytes = "6 KiB"
"""
LONG = """
lpars = [{ name = "PROD", processors = 4, ziips = { cores = 2 } }]
regions = [
    { name = "TOR1", lpar = "PROD", mxt = 400 }, { name = "TOR2", lpar = "PROD", mxt = 400 },
    { name = "AOR1", lpar = "PROD" }, { name = "AOR2", lpar = "PROD" }, { name = "AOR3", lpar = "PROD" },
]
devices = [{ name = "Db2" }]
loggers = [{ name = "LOG", seconds_per_mib = [0.002, 0.004] }]
[[work]]
name = "orders"
users = 100
think_time = 2
[[work.steps]]
regions = ["TOR1", "TOR2"]
qr_cpu = 0.00015
[[work.steps]]
regions = ["AOR3", "AOR1", "AOR2"]
shares = [3, 1, 1]
qr_cpu = 0.0008
devices = { Db2 = 0.005 }
log_bytes = 6144
"""


def test_the_short_file_is_the_long_one() -> None:
    """To the last digit; what is long already stays as it is."""
    assert qn.loads(SHORT) == qn.loads(LONG)
    data = parsed(LONG, "toml")
    assert in_full(data) == data
    assert in_full(in_full(parsed(SHORT, "toml"))) == in_full(parsed(SHORT, "toml"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"0.8 ms"', '"0,8 ms"', "work 'orders': steps[2]: qr_cpu = '0,8 ms': must be a time; write '0.8 ms', with a point"),
        ('"0.8 ms"', '"soon"', "must be a time; write 0.0008 in seconds, or '0.8 ms'"),
        ('"0.8 ms"', '"6 KiB"', "must be a time"),
        ('"0.8 ms"', "0.8 ms", 'write "0.8 ms" in quotes'),
        ('"0.8 ms"', "0.8ms", 'write "0.8ms" in quotes'),
        ('"0.8 ms"', "0,8", 'write 0.8 in seconds, or "0.8 ms" in quotes, with a point'),
        ('"5 ms"', '"5 kg"', "work 'orders': steps[2]: devices: Db2 = '5 kg': must be a time"),
        ('"6 KiB"', '"6 ms"', "log_bytes = '6 ms': must be a number of bytes; write 900, or '6 KiB'"),
        ('"2 ms"', '"two"', "logger 'LOG': seconds_per_mib[1] = 'two': must be a time"),
        ('"TOR*"', '"TOX*"', "work 'orders': regions = 'TOX*': names no region"),
        ('["TOR1", "TOR2"]', "[]", "regions[1]: name = []: must be a text"),
        ('["TOR1", "TOR2"]', '["TOR1", 2]', "regions[2]: name = 2: must be a text"),
        ('["TOR1", "TOR2"]', '["TOR1", "TOR1"]', "must be unique"),
        ('name = ["TOR1", "TOR2"], ', "", "regions[1]: must have a name"),
        ('"TOR*"', "5", "must be a list"),
        ("ziips = 2", 'ziips = "2"', "lpar 'PROD': ziips = '2'"),
    ],
)
def test_what_is_wrong_is_named(old: str, new: str, said: str) -> None:
    """One line: item, value, rule, repair."""
    assert old in SHORT
    with pytest.raises(ModelError) as caught:
        qn.loads(SHORT.replace(old, new, 1))
    assert said in str(caught.value)


def test_a_region_whose_name_has_a_star_is_itself() -> None:
    """A name is taken before a pattern."""
    system = qn.loads(
        SHORT.replace('"AOR3"]', '"AOR*"]').replace('["AOR3", "AOR*"]', '["AOR*"]').replace("shares = [3, 1, 1]", "")
    )
    assert system.work[0].steps[1].regions == ("AOR*",)


@pytest.mark.parametrize("name", TEMPLATES)
def test_figures_that_are_still_those_of_the_template(name: str) -> None:
    """All of it at first; none that was changed, and none where the file does not name its template."""
    data = parsed(template_text(name), "toml")
    still = still_of_template(data)
    assert len(still) > 10
    fixed = next(each for each in still if each.startswith("fixed_cpu"))
    for lpar in data["lpars"]:
        lpar["fixed_cpu"] = 0.77
    assert fixed not in still_of_template(data)
    assert len(still_of_template(data)) == len(still) - 1
    del data["from_template"]
    assert still_of_template(data) == []
    with pytest.raises(ModelError, match="from_template"):
        qn.loads(template_text(name).replace(f'from_template = "{name}"', 'from_template = "other"'))
