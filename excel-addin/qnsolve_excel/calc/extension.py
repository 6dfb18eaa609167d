"""The .oxt for LibreOffice Calc, written from the catalogue: interface, help, component, and where the solver is."""

from __future__ import annotations

import json
import sys
import zipfile
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import qnsolve

from ..catalogue import NAMESPACE, Argument, Function, catalogue
from ..replacing import replacing

MODULE = "org.qnsolve.calc"
INTERFACE = "XQueueing"
CATEGORY = "Queueing"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
DATE = (1980, 1, 1, 0, 0, 0)  # of the files inside, so that the same catalogue writes the same bytes
REGISTRY = 'xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"'
MANIFEST = {
    "queueing.idl": "application/vnd.sun.star.uno-typelibrary;type=RDB",
    "queueing.components": "application/vnd.sun.star.uno-components",
    "CalcAddIns.xcu": "application/vnd.sun.star.configuration-data",
}


def write(file: Path, folders: list[str] | None = None) -> Path:
    """Write the extension.

    Parameters
    ----------
    file : Path
        Ends in .oxt.
    folders : list of str, optional
        To import numpy, qnsolve and qnsolve_excel from; those of the running environment where left out.

    Raises
    ------
    OSError
        Where it cannot be written; what stood there stays.
    """
    with replacing(file) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in parts(folders).items():
            out.writestr(zipfile.ZipInfo(name, DATE), text.encode("utf-8"), zipfile.ZIP_DEFLATED)
    return file


def parts(folders: list[str] | None = None) -> dict[str, str]:
    """The files inside, by name."""
    own = files(__package__)
    return {
        "META-INF/manifest.xml": _manifest(),
        "description.xml": _description(),
        "queueing.idl": _interface(),
        "CalcAddIns.xcu": _help(),
        "queueing.components": _components(),
        "component.py": (own / "component.py").read_text(encoding="utf-8"),
        "pythonpath/qnsolve_bridge.py": (own / "bridge.py").read_text(encoding="utf-8"),
        "written.json": _written(folders if folders is not None else import_folders()),
    }


def import_folders() -> list[str]:
    """Where this environment imports the solver, the functions and numpy from."""
    found = [str(Path(import_module(name).__path__[0]).resolve().parent) for name in ("qnsolve", "qnsolve_excel", "numpy")]
    return list(dict.fromkeys(found))


def _written(folders: list[str]) -> str:
    known = {
        "namespace": NAMESPACE,
        "version": qnsolve.__version__,
        "python": "{}.{}".format(*sys.version_info[:2]),
        "folders": folders,
        "functions": {name: function.spills for name, function in catalogue().items()},
    }
    return json.dumps(known, indent=1) + "\n"


def _interface() -> str:
    """The type library, as text, which LibreOffice reads as it is."""
    opened, closed = zip(*[(f"module {word} {{", "};") for word in MODULE.split(".")], strict=True)
    methods = [_method(function) for function in catalogue().values()]
    body = [f"interface {INTERFACE}: com::sun::star::uno::XInterface {{", *methods, "};"]
    return "\n".join(["#include <com/sun/star/uno/XInterface.idl>", *opened, *body, *closed]) + "\n"


def _method(function: Function) -> str:
    """Each argument is `any`: a number, a text, rows of cells, or nothing where it is left out."""
    given = ", ".join(f"[in] any {_key(i)}" for i, _ in enumerate(function.arguments, 1))
    return f"  {'sequence< sequence< any > >' if function.spills else 'any'} {function.name}({given});"


def _key(i: int) -> str:
    """What the i-th argument is called in the interface; people see its display name."""
    return f"a{i}"


def _help() -> str:
    """Names and help of functions and arguments."""
    nodes = "\n".join(_function_help(function) for function in catalogue().values())
    head = f'{HEAD}<oor:component-data {REGISTRY} oor:name="CalcAddIns" oor:package="org.openoffice.Office">\n'
    own = f'<node oor:name="AddInInfo"><node oor:name="{NAMESPACE}" oor:op="replace"><node oor:name="AddInFunctions">\n'
    return f"{head}{own}{nodes}\n</node></node></node>\n</oor:component-data>\n"


def _function_help(function: Function) -> str:
    arguments = "".join(_argument_help(i, argument) for i, argument in enumerate(function.arguments, 1))
    return (
        f'<node oor:name="{function.name}" oor:op="replace">\n'
        f"{_property('DisplayName', function.dotted)}\n{_property('Description', function.summary)}\n"
        f'<prop oor:name="Category"><value>{CATEGORY}</value></prop>\n'
        f'<node oor:name="Parameters">{arguments}</node></node>'
    )


def _argument_help(i: int, argument: Argument) -> str:
    texts = _property("DisplayName", argument.name) + _property("Description", argument.help)
    return f'\n<node oor:name="{_key(i)}" oor:op="replace">{texts}</node>'


def _property(name: str, text: str) -> str:
    return f'<prop oor:name="{name}"><value xml:lang="en">{escape(text)}</value></prop>'


def _manifest() -> str:
    entry = '<manifest:file-entry manifest:full-path="{}" manifest:media-type="{}"/>\n'
    entries = "".join(entry.format(name, kind) for name, kind in MANIFEST.items())
    return f'{HEAD}<manifest:manifest xmlns:manifest="http://openoffice.org/2001/manifest">\n{entries}</manifest:manifest>\n'


def _components() -> str:
    """What there is to load, so that installing runs no Python: it would not find the new interface yet."""
    service = '<service name="com.sun.star.sheet.AddIn"/>'
    return (
        f'{HEAD}<components xmlns="http://openoffice.org/2010/uno-components">\n'
        '<component loader="com.sun.star.loader.Python" uri="component.py">\n'
        f'<implementation name="{NAMESPACE}">{service}</implementation>\n</component>\n</components>\n'
    )


def _description() -> str:
    return (
        f'{HEAD}<description xmlns="http://openoffice.org/extensions/description/2006">\n'
        f"<identifier value={quoteattr(MODULE)}/><version value={quoteattr(qnsolve.__version__)}/>\n"
        '<display-name><name lang="en">qnsolve: queueing functions</name></display-name>\n</description>\n'
    )
