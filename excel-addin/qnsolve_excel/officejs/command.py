"""`qnsolve addin serve`."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import Any

from qnsolve.errors import ModelError

from ..commands import needing

PORT = 8443


def add(actions: Any) -> None:
    """The parser of the action."""
    serving = actions.add_parser("serve", help="serve the functions to Excel on this machine, and a page to try them")
    serving.add_argument("--port", type=int, default=PORT, metavar="N", help=f"port of this machine (default: {PORT})")
    serving.add_argument("--http", action="store_true", help="without a certificate: for the page alone, Excel needs one")
    serving.add_argument("--manifest", metavar="FILE", help="also write the manifest that Excel loads")
    serving.add_argument("--keys", metavar="FOLDER", help="where token and certificate are kept (default: of this user)")
    serving.set_defaults(run=needing("serve", _serve))


def _serve(options: argparse.Namespace) -> str:
    from .keys import home, keys, write_alone
    from .listening import Listener, server
    from .pages import manifest
    from .server import application

    kept = keys(Path(options.keys) if options.keys else home())
    scheme = "http" if options.http else "https"
    if not 0 <= options.port <= 65535:
        raise ModelError("--port", "must lie within 0 and 65535", "take 8443", options.port)
    with Listener(options.port) as listening:
        port = listening.port
        base = f"{scheme}://localhost:{port}/{kept.token}"
        print(f"page: {base}/", flush=True)
        if not options.http:
            print(f"certificate to trust, once: {kept.authority}", flush=True)
        if options.manifest:
            write_alone(Path(options.manifest), manifest(base).encode())
            print(f"manifest: {options.manifest}", flush=True)
        print("stop with Ctrl+C", flush=True)
        secured = {} if options.http else {"ssl_certfile": kept.certificate, "ssl_keyfile": kept.certificate}
        with contextlib.suppress(KeyboardInterrupt):
            server(listening, application(kept.token, port, scheme), **secured).run(sockets=[listening])
    return "stopped"
