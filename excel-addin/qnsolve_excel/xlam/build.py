"""Builds `qnsolve.xlam` from the installed xlwings: its template's VBA project and the declarations of its library.

Of xlwings only what is under BSD 3-clause is used, never `xlwings.pro` or `xlwings.server`.
"""

from __future__ import annotations

import os
import re
import sys
import zipfile
from importlib.metadata import distribution, version
from pathlib import Path

import qnsolve
from qnsolve.errors import ModelError

from ..catalogue import catalogue
from . import vba, workbook
from .project import Project

TEMPLATE = "quickstart_addin.xlam"  # of xlwings, BSD 3-clause
OWN = {"Dictionary", "xlwings", "Module1"}  # the template's modules that are not taken along
SETTINGS = ("qnsolve", "command", "folder", "interpreter", "xlwings")  # rows of the sheet, name and value
FIRST_HELP = len(SETTINGS) + 3  # row of the sheet with the first help texts
# declarations in the template on which the add-in relies
DECLARED = re.compile(
    r'^ *(?:Private )?Declare PtrSafe Function XLPyDLLActivateAuto Lib "(xlwings(?:32|64)-[\w.]+\.dll)" '
    r'(\(ByRef Result As Variant, Optional ByVal Config As String = "", Optional ByVal mode As Long = 1\) As Long)\r?$',
    re.MULTILINE,
)
SERVED = ("cmd.exe ", " /K ", "xlwings.serve('$(CLSID)')")  # how the template has the library start Python


def build() -> bytes:
    """The add-in for the running Python.

    Raises
    ------
    ModelError
        The template of the installed xlwings is not as this version of qnsolve knows it, or the path of
        Python holds what a command line cannot.
    """
    project, libraries = template()
    rows = sheet_rows()
    _there([name for name, _ in libraries.values()])
    code = bared(project)
    project["ThisWorkbook"].source += vba.ON_OPEN.replace("\n", "\r\n")
    connection = vba.CONNECTION.format(
        module=vba.MODULE,
        udfs=vba.UDFS,
        command=workbook.address(SETTINGS.index("command") + 1, 2),
        folder=workbook.address(SETTINGS.index("folder") + 1, 2),
        **{f"declared{bits}": f"Private {line}" for bits, (_, line) in libraries.items()},
        **{f"library{bits}": name for bits, (name, _) in libraries.items()},
    )
    note = f"The declarations of the library are those of xlwings {version('xlwings')}: BSD 3-clause, Zoomer Analytics LLC."
    project.add(vba.MODULE, vba.source(connection, help_range(rows), note))
    return workbook.written(project.written(), rows, code)


def sheet_rows() -> list[list[str | int]]:
    """What the add-in's sheet holds: settings, an empty row, a heading, and a row of help texts for each function."""
    from .udfs import category

    interpreter = _interpreter()
    values = {
        "qnsolve": qnsolve.__version__,
        "command": _command(interpreter),
        "folder": _library_folder(),
        "interpreter": interpreter,
        "xlwings": version("xlwings"),
    }
    rows: list[list[str | int]] = [[name, values[name]] for name in SETTINGS]
    rows += [[], ["function", "group", "returns", "arguments"]]
    for function in catalogue().values():
        texts = [argument.help for argument in function.arguments]
        rows.append([function.underlined, category(function), function.summary, len(texts), *texts])
    return rows


def help_range(rows: list[list[str | int]]) -> str:
    """Where the help texts are."""
    return f"A{FIRST_HELP}:{workbook.address(len(rows), max(map(len, rows)))}"


def bared(project: Project) -> str:
    """Take out of the template what is xlwings' own; returns the module of its sheet, however it is called."""
    for name in OWN:
        project.remove(name)
    project.forget("MSForms")
    project.rename("qnsolve")
    return next(m.name for m in project.modules if m.line.startswith("Document=") and m.name != "ThisWorkbook")


def template() -> tuple[Project, dict[str, tuple[str, str]]]:
    """The template's project, and name and declaration of the libraries of 32 and 64 bits."""
    import xlwings

    path = Path(xlwings.__file__).parent / TEMPLATE
    try:
        with zipfile.ZipFile(path) as package:
            project = Project(package.read("xl/vbaProject.bin"))
        code = project["xlwings"].source
    except (OSError, zipfile.BadZipFile, KeyError, ValueError, StopIteration) as error:
        raise _unknown(f"cannot be read ({type(error).__name__}: {error})") from None
    modules = {module.name for module in project.modules}
    if not modules >= {*OWN, "ThisWorkbook"} or len(modules) != len(OWN) + 2:
        raise _unknown(f"has the modules {', '.join(sorted(modules))}")
    libraries = {found[1][7:9]: (found[1], found[0].strip().removeprefix("Private ")) for found in DECLARED.finditer(code)}
    if set(libraries) != {"32", "64"}:
        raise _unknown("does not declare XLPyDLLActivateAuto(Result, Config, mode)")
    for words in SERVED:
        if words not in code:
            raise _unknown(f"does not start Python with {words!r}")
    return project, libraries


def _unknown(what: str) -> ModelError:
    rule = f"{what}, which this version of qnsolve does not know"
    return ModelError(f"xlwings {version('xlwings')}: its {TEMPLATE}", rule, "pip install xlwings==0.37.8")


def _interpreter() -> str:
    """The running Python without a console window, where there is one."""
    running = Path(sys.executable)
    silent = running.with_name("pythonw.exe")
    return str(silent if silent.exists() else running)


def _command(interpreter: str) -> str:
    """How the library starts Python: nothing in it comes from a workbook, and no folder but Python's own is searched (-P)."""
    if set(interpreter) & set('"%^'):
        rule = 'must hold none of " % ^, which a command line cannot pass on'
        raise ModelError("path of Python", rule, "make the environment in another folder", interpreter)
    shell = os.environ.get("COMSPEC") or r"C:\Windows\System32\cmd.exe"
    return f'{shell}  /K ""{interpreter}" -P -B -c "import xlwings; xlwings.serve(\'$(CLSID)\')""'


def _library_folder() -> str:
    """Where pip put the library, by its list of installed files; off Windows there is none."""
    for file in distribution("xlwings").files or ():
        if re.fullmatch(r"xlwings(32|64)-.*\.dll", file.name):
            return str(Path(str(file.locate())).resolve().parent)
    return sys.prefix


def _there(libraries: list[str]) -> None:
    """Raise ModelError where Windows would not find the library."""
    folder = Path(_library_folder())
    for name in libraries:
        if sys.platform == "win32" and not (folder / name).exists():
            repair = "pip install --force-reinstall xlwings"
            raise ModelError(f"xlwings {version('xlwings')}", f"its {name} is not in {folder}", repair)
