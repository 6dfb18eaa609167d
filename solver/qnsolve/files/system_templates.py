"""System files to begin with: each says which field of which report a figure is."""

from __future__ import annotations

from importlib.resources import files

from qnsolve.errors import ModelError, suggestion

TEMPLATES = {
    "cics": "CICS: terminal-owning and application-owning regions, Db2",
    "cicsplex": "CICS on two LPARs: TORs and AORs, users, Db2 data sharing in a coupling facility, a log",
    "ims": "IMS: message processing and fast path regions, DL/I, a log",
    "mq": "CICS with IBM MQ and Db2 data sharing: two LPARs, a coupling facility, logs",
}


def template_text(name: str) -> str:
    """The text of a template in TOML, comments included.

    Parameters
    ----------
    name : {"cics", "cicsplex", "ims", "mq"}

    Raises
    ------
    ModelError

    Examples
    --------
    >>> import qnsolve as qn
    >>> len(qn.loads(template_text("cics")).regions)
    6
    """
    if name not in TEMPLATES:
        raise ModelError("template", "is not known", suggestion(str(name), TEMPLATES), name)
    return files(__package__).joinpath("templates", f"{name}.toml").read_text(encoding="utf-8")
