"""The server in a thread of this process: for tests, benchmarks and pictures."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.types import ASGIApp


@contextmanager
def served(application: Callable[[int], ASGIApp]) -> Iterator[int]:
    """The port at which it listens, by HTTP, while inside.

    Parameters
    ----------
    application : callable
        Makes the application for a port.
    """
    import uvicorn

    with socket.socket(proto=socket.IPPROTO_TCP) as listening:  # named, or answers wait for acknowledgements
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(application(port), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield port
        finally:
            server.should_exit = True
            thread.join(20)
