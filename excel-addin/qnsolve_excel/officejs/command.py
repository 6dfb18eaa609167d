"""`qnsolve addin serve`."""

from __future__ import annotations

import argparse
import contextlib
import socket
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
    import uvicorn

    from .keys import home, keys, write_alone
    from .pages import manifest
    from .server import application

    kept = keys(Path(options.keys) if options.keys else home())
    scheme = "http" if options.http else "https"
    listening = _bound(options.port)
    port = listening.getsockname()[1]
    base = f"{scheme}://localhost:{port}/{kept.token}"
    print(f"page: {base}/", flush=True)
    if not options.http:
        print(f"certificate to trust, once: {kept.authority}", flush=True)
    if options.manifest:
        write_alone(Path(options.manifest), manifest(base).encode())
        print(f"manifest: {options.manifest}", flush=True)
    print("stop with Ctrl+C", flush=True)
    config = uvicorn.Config(
        application(kept.token, port, scheme),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        ssl_certfile=None if options.http else kept.certificate,
        ssl_keyfile=None if options.http else kept.certificate,
    )
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])
    return "stopped"


def _bound(port: int) -> socket.socket:
    """A socket of this machine alone."""
    if not 0 <= port <= 65535:
        raise ModelError("--port", "must lie within 0 and 65535", "take 8443", port)
    # the protocol is named, or asyncio does not take the delay off and each answer waits 40 ms for an acknowledgement
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        raise ModelError("--port", f"cannot be listened at: {error.strerror}", "take another, --port 8444", port) from None
    return listening
