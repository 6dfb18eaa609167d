"""`qnsolve addin calc`: write the extension, or give it to the LibreOffice of this machine."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from glob import glob
from pathlib import Path
from typing import Any

from qnsolve.errors import ModelError, one_line

from .extension import MODULE, write

PLACES = (  # of LibreOffice's program unopkg, where it is not on the path
    "/usr/lib/libreoffice/program/unopkg",
    "/opt/libreoffice*/program/unopkg",
    "/Applications/LibreOffice.app/Contents/MacOS/unopkg",
    r"C:\Program Files\LibreOffice\program\unopkg.com",
)
LONGEST = 300.0  # seconds that unopkg may take
THEN = "start Calc again, outside an activated Python environment, and try =QN.VERSION() in a cell"


def add(actions: Any) -> None:
    """Put `calc` under `qnsolve addin`."""
    parser = actions.add_parser("calc", help="write the extension for LibreOffice Calc, or install it there")
    does = parser.add_mutually_exclusive_group()
    does.add_argument("--out", default="qnsolve.oxt", metavar="FILE", help="file to write (default: qnsolve.oxt)")
    does.add_argument("--install", action="store_true", help="give it to the LibreOffice of this machine")
    does.add_argument("--uninstall", action="store_true", help="take it away from there")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    users = " for all users of this machine, as root ran the command" if _is_root() else ""
    if options.uninstall:
        try:
            _unopkg("remove", MODULE)
        except ModelError:
            if MODULE in _unopkg("list"):
                raise
            return "not installed: there was nothing to remove"
        return f"removed{users}: the functions are gone once Calc starts again"
    if options.install:
        with tempfile.TemporaryDirectory() as folder:
            _unopkg("add", "--force", str(write(Path(folder) / "qnsolve.oxt")))
        return f"installed{users}: {THEN}"
    if not options.out.lower().endswith(".oxt"):
        raise ModelError("--out", "must end in .oxt", "name it qnsolve.oxt", options.out)
    return f"written: {write(Path(options.out))}\nopen it with LibreOffice, or run qnsolve addin calc --install; then {THEN}"


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _unopkg(action: str, *given: str) -> str:
    """What LibreOffice's manager of extensions prints; root can install for all users only."""
    program = shutil.which("unopkg") or next((found for place in PLACES for found in sorted(glob(place))), None)
    if program is None:
        repair = "write the file with qnsolve addin calc and open it in Calc: Tools, Extensions, Add"
        raise ModelError("addin calc", "cannot find LibreOffice's program unopkg", repair)
    shared = ["--shared"] if _is_root() else []
    try:
        done = subprocess.run(
            [program, action, *shared, *given],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST,
            check=False,
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelError("addin calc", f"could not run {program}: {error}", "close LibreOffice and try again") from error
    if done.returncode:
        reason = one_line(done.stderr + done.stdout)[-300:] or f"exit code {done.returncode}"
        raise ModelError("addin calc", f"was refused by unopkg: {reason}", "close LibreOffice and try again")
    return done.stdout


def clean_environment() -> dict[str, str]:
    """The environment without what draws LibreOffice's Python into ours, which then finds no `uno`."""
    kept = {key: value for key, value in os.environ.items() if key not in {"PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"}}
    own = {Path(sys.prefix, "bin"), Path(sys.executable).parent}
    folders = kept.get("PATH", os.defpath).split(os.pathsep)
    kept["PATH"] = os.pathsep.join(folder for folder in folders if Path(folder) not in own)
    return kept
