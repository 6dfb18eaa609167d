"""The command `qnsolve serve`."""

from __future__ import annotations

import argparse
import contextlib
import threading
import webbrowser
from pathlib import Path
from typing import Any

from qnsolve.errors import ModelError, missing_package

PORT = 8600
PACKAGES = "starlette uvicorn"


def add(parser: argparse.ArgumentParser) -> None:
    """Show a system in the browser: change a figure, see until when it holds; on this machine alone."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="system file, TOML or JSON, or a file shared from the page")
    parser.add_argument(
        "--port", type=int, default=PORT, metavar="N", help=f"port of this machine, 0 for any (default: {PORT})"
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    try:
        return _serve(options)
    except ModuleNotFoundError as error:
        raise missing_package("serve", error, PACKAGES) from None


def _serve(options: argparse.Namespace) -> str:
    from ..officejs.keys import home, kept_token
    from ..officejs.listening import Listener, server
    from .planner_server import planner_application

    begin = _begin(options.file)
    if not 0 <= options.port <= 65535:
        raise ModelError("--port", "must lie within 0 and 65535", f"take {PORT}", options.port)
    token = kept_token(home())
    with Listener(options.port) as listening:
        address = f"http://127.0.0.1:{listening.port}/{token}/"
        print(f"page: {address}", flush=True)
        print("stop with Ctrl+C", flush=True)
        if not options.no_browser:
            opening = threading.Timer(0.3, webbrowser.open, (address,))
            opening.daemon = True
            opening.start()
        with contextlib.suppress(KeyboardInterrupt):
            server(listening, planner_application(token, listening.port, begin)).run(sockets=[listening])
    return "stopped"


def _begin(file: str | None) -> dict[str, Any] | None:
    """The scenarios of a file; a wrong one ends the command before the page is there."""
    if file is None:
        return None
    from qnsolve.files.text import decoded, read

    from .opened_files import opened

    return opened(decoded(read(file)), Path(file).name)
