"""`qnsolve template`: a system file to begin with."""

from __future__ import annotations

import argparse
from pathlib import Path

from qnsolve.errors import ModelError
from qnsolve.files.system_templates import TEMPLATES, template_text
from qnsolve.files.writing import write_text


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("template", nargs="?", metavar="NAME", help=f"{', '.join(TEMPLATES)}; without it all are listed")
    parser.add_argument("-o", "--output", metavar="FILE", help="write it there; a file that exists stays as it is")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    if options.template is None:
        if options.output:
            raise ModelError("template", "must be named", f"take one of {', '.join(TEMPLATES)}")
        wide = max(map(len, TEMPLATES))
        return "\n".join(f"{name:{wide}}  {title}" for name, title in TEMPLATES.items())
    text = template_text(options.template)
    if not options.output:
        return text
    if Path(options.output).exists():
        raise ModelError("--output", "exists", "give another name", options.output)
    write_text(options.output, text)
    return f"written: {options.output}; qnsolve serve {options.output} shows it"
