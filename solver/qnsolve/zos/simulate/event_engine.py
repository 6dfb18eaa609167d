"""Events in time: shared servers, lines, places to hold, and processes that use them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from heapq import heappop, heappush
from itertools import count
from math import inf

Process = Generator["Step", None, None]
Step = Callable[["Clock", Callable[[], None]], None]  # does something, and calls back when it is done


class Clock:
    """The time, and what happens when."""

    def __init__(self) -> None:
        self.now = 0.0
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    def at(self, time: float, what: Callable[[], None]) -> None:
        """Call `what` at a time."""
        heappush(self._heap, (time, next(self._order), what))

    def run(self, until: Callable[[], bool]) -> None:
        """Go on until a condition holds."""
        while not until():
            self.now, _, what = heappop(self._heap)
            what()

    def start(self, process: Process) -> None:
        """Run a process step by step."""

        def go_on() -> None:
            step = next(process, None)
            if step is not None:
                step(self, go_on)

        go_on()


def wait(time: float) -> Step:
    """Let time pass."""
    return lambda clock, done: clock.at(clock.now + time, done)


class Shared:
    """Servers shared by all jobs there: each gets speed(n)/n."""

    def __init__(self, clock: Clock, speeds: Sequence[float]) -> None:
        self.clock, self.speeds = clock, speeds
        self.present, self.area, self.work = 0, 0.0, 0.0
        self._virtual = self._last = 0.0
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._order, self._version = count(), 0

    def _rate(self) -> float:
        return self.speeds[min(self.present, len(self.speeds)) - 1] / self.present if self.present else 0.0

    def pass_time(self) -> None:
        """Count what happened up to now."""
        passed = self.clock.now - self._last
        self._virtual += passed * self._rate()
        self.area += passed * self.present
        self.work += passed * self._rate() * self.present
        self._last = self.clock.now

    def _plan(self) -> None:
        self._version += 1
        if not self._heap:
            return
        version = self._version
        time = self.clock.now + max(self._heap[0][0] - self._virtual, 0.0) / self._rate()

        def ended() -> None:
            if version == self._version:
                self.pass_time()
                done = heappop(self._heap)[2]
                self.present -= 1
                self._plan()
                done()

        self.clock.at(time, ended)

    def use(self, work: float) -> Step:
        """Do some work, in seconds alone at speed 1."""

        def step(clock: Clock, done: Callable[[], None]) -> None:
            self.pass_time()
            self.present += 1
            heappush(self._heap, (self._virtual + work, next(self._order), done))
            self._plan()

        return step

    def hold(self, inner: Step) -> Step:
        """Remain in service, as a spinning processor, during another event."""

        def step(clock: Clock, done: Callable[[], None]) -> None:
            self.pass_time()
            self.present += 1
            self._plan()

            def over() -> None:
                self.pass_time()
                self.present -= 1
                self._plan()
                done()

            inner(clock, over)

        return step


class Places:
    """So many places, first come first served; a line where servers serve, too."""

    def __init__(self, clock: Clock, number: float = inf) -> None:
        self.clock, self.free = clock, number
        self.used = 0
        self.area = self.outside = self._last = 0.0
        self.asked = self.delayed = 0
        self._line: deque[Callable[[], None]] = deque()

    def _advance(self) -> None:
        passed = self.clock.now - self._last
        self.area += passed * self.used
        self.outside += passed * len(self._line)
        self._last = self.clock.now

    def take(self, clock: Clock, done: Callable[[], None]) -> None:
        """A step: get a place, or wait for one."""
        self._advance()
        self.asked += 1
        if self.free > 0:
            self.free -= 1
            self.used += 1
            done()
        else:
            self.delayed += 1
            self._line.append(done)

    def give(self, clock: Clock, done: Callable[[], None]) -> None:
        """A step: give the place back."""
        self._advance()
        if self._line:
            following = self._line.popleft()
            clock.at(clock.now, following)
        else:
            self.free += 1
            self.used -= 1
        done()

    def serve(self, time: float) -> Step:
        """Take a place for some time."""

        def step(clock: Clock, done: Callable[[], None]) -> None:
            self.take(clock, lambda: clock.at(clock.now + time, lambda: self.give(clock, done)))

        return step

    def measured(self) -> tuple[float, float]:
        """Places taken and waiting tasks, integrated over time."""
        self._advance()
        return self.area, self.outside
