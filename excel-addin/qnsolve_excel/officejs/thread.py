"""The server in a thread of this process: for tests, benchmarks and pictures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.types import ASGIApp

from .listening import Listener, server


@contextmanager
def served(application: Callable[[int], ASGIApp], **limits: Any) -> Iterator[int]:
    """The port at which it listens, by HTTP, while inside.

    Parameters
    ----------
    application : callable
        Makes the application for a port.
    limits
        Of the connections, as `Listener` takes them.
    """
    with Listener(0, **limits) as listening:
        running = server(listening, application(listening.port))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not running.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield listening.port
        finally:
            running.should_exit = True
            thread.join(20)
