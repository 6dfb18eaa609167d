"""The socket and the log of the server, both bounded: connections without a request do not stop others."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import time
import weakref
from typing import Any

import uvicorn
from qnsolve.errors import ModelError
from starlette.types import ASGIApp, Receive, Scope, Send

MOST = 100  # connections at once
LONGEST = 20.0  # seconds in which a connection must have sent the head of a request
EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
MOST_LINES = 20  # of the log in a minute


class Listener(socket.socket):
    """A listening socket of this machine alone that closes silent connections.

    Parameters
    ----------
    port : int
        0 for any that is free.
    most : int
        Connections at once; a further one closes the oldest that has sent no request yet.
    longest : float
        Time that a connection may be silent [s].
    """

    def __init__(self, port: int, most: int = MOST, longest: float = LONGEST) -> None:
        # the protocol is named, or asyncio does not take the delay off and each answer waits 40 ms for an acknowledgement
        super().__init__(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self.most, self.longest = min(most, _descriptors() // 2), longest
        self._open: weakref.WeakValueDictionary[Any, socket.socket] = weakref.WeakValueDictionary()
        self._silent: dict[Any, weakref.ref[socket.socket]] = {}  # oldest first
        self._full = False
        try:
            self.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.bind(("127.0.0.1", port))
            self.listen(128)  # connections before the server runs wait for it
        except OSError as error:
            self.close()
            raise ModelError("--port", f"is not free: {error.strerror}", "take another, --port 8444", port) from None

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.getsockname()[1])

    def accept(self) -> tuple[socket.socket, Any]:
        """As of any socket; asyncio calls it in a row, and takes the two errors for "not now"."""
        if self._full:  # let the loop close connections first
            self._full = False
            raise BlockingIOError(errno.EAGAIN, "full")
        try:
            connection, client = super().accept()
        except OSError as error:
            if error.errno not in EXHAUSTED:
                raise
            self._close_oldest()
            raise BlockingIOError(error.errno, error.strerror) from error
        self._full = sum(each.fileno() >= 0 for each in self._open.values()) >= self.most
        if self._full and not self._close_oldest():
            connection.close()
            raise ConnectionAbortedError(errno.ECONNABORTED, "too many connections")
        self._open[client] = connection
        self._silent[client] = weakref.ref(connection)
        asyncio.get_running_loop().call_later(self.longest, self._late, client, self._silent[client])
        return connection, client

    def watched(self, inner: ASGIApp) -> ASGIApp:
        """The application; a connection that sends it a request is no longer silent."""

        async def application(scope: Scope, receive: Receive, send: Send) -> None:
            if scope.get("client"):
                self._silent.pop(tuple(scope["client"]), None)
            await inner(scope, receive, send)

        return application

    def _late(self, client: Any, found: weakref.ref[socket.socket]) -> None:
        if self._silent.get(client) is found:
            self._silent.pop(client)
            _end(found())

    def _close_oldest(self) -> bool:
        """Close the connection that has been silent for longest; whether there was one."""
        while self._silent:
            connection = self._silent.pop(next(iter(self._silent)))()
            if connection is not None and connection.fileno() >= 0:
                _end(connection)
                return True
        return False


class Bounded(logging.Filter):
    """Lets a number of lines a minute through, so that the log does not fill the disk."""

    def __init__(self, most: int = MOST_LINES) -> None:
        super().__init__()
        self.most, self.since, self.lines = most, -60.0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is kept."""
        now = time.monotonic()
        if now - self.since >= 60:
            self.since, self.lines = now, 0
        self.lines += 1
        return self.lines <= self.most


def server(listening: Listener, inner: ASGIApp, **options: Any) -> uvicorn.Server:
    """The server of the application at that socket; `run(sockets=[listening])` starts it."""
    found = uvicorn.Server(
        uvicorn.Config(
            listening.watched(inner),
            loop="asyncio",
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_keep_alive=30,
            **options,
        )
    )
    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        if not any(isinstance(each, Bounded) for each in logger.filters):
            logger.addFilter(Bounded())
    return found


def _end(connection: socket.socket | None) -> None:
    """End a connection whose transport then reads its end."""
    try:
        if connection is not None:
            connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it ended meanwhile


def _descriptors() -> int:
    """Files that this process may have open."""
    try:
        import resource
    except ImportError:  # Windows
        return 512
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft > 0 else 512
