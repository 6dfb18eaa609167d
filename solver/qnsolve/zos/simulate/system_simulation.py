"""A system simulated event by event: nothing of the layered solution is used but which requests are asynchronous."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.tasks import Task, has_threads
from qnsolve.zos.parts.regions import CicsRegion
from qnsolve.zos.point.operating_point import Point

from .event_engine import Clock, Places, Process, Shared, wait

PIECE = 0.002  # CPU of one piece of the CPU that does not grow with the work [s]


@dataclass(frozen=True)
class Simulated:
    """Batches of a simulation: B stretches of time.

    Attributes
    ----------
    duration : ndarray (B,)
        [s]
    done, response : ndarray (B, W)
        Transactions that ended, and their response times added up [s].
    cpu : ndarray (B, L)
        CPU used, by LPAR [s].
    tasks, waiting : ndarray (B, G)
        Tasks in each region and outside its limit, integrated over time.
    """

    duration: Array
    done: Array
    response: Array
    cpu: Array
    tasks: Array
    waiting: Array


class Simulation:
    """The parts of a system, and the processes that use them."""

    def __init__(self, point: Point, seed: int) -> None:
        self.point, self.taken, self.clock = point, point.layout, Clock()
        self.rng = np.random.default_rng(seed)
        system, clock = point.layout.system, self.clock
        self.cps = [Shared(clock, item.processors.speeds().tolist()) for item in system.lpars]
        self.ziips = [Shared(clock, item.ziips.speeds().tolist()) if item.ziips else None for item in system.lpars]
        self.limit = [Places(clock, region.limit) for region in system.regions]
        self.tranclass = [{n: Places(clock, c) for n, c in (r.tranclasses or {}).items()} for r in system.regions]
        self.tcbs = [{kind: Places(clock, 1) for kind in ("qr", "ro")} for _ in system.regions]
        self.threads = [Places(clock, getattr(r, "thread_limit", None) or inf) for r in system.regions]
        self.facilities = [Places(clock, item.processors) for item in system.coupling_facilities]
        self.lines = {item.name: Places(clock) for item in system.loggers}
        for logger in system.loggers:
            self.lines[logger.name].free = 1
        for device in system.devices:
            self.lines[device.name] = Places(clock, device.servers or inf)
        self.done = np.zeros(len(system.work))
        self.response = np.zeros(len(system.work))
        children = {i for task in self.taken.tasks for i, _ in task.children}
        self.first = [
            [(i, t.visits) for i, t in enumerate(self.taken.tasks) if t.work == w and i not in children]
            for w in range(len(system.work))
        ]

    def run(self, jobs: int, batches: int) -> Simulated:
        """Simulate until so many transactions have ended, after a tenth more that are not counted."""
        for w, work in enumerate(self.taken.system.work):
            for _ in range(work.users or 0):
                self.clock.start(self._user(w))
            if work.rate is not None:
                self.clock.start(self._arrivals(w, work.rate, work.burst))
        for place, lpar in enumerate(self.taken.system.lpars):
            fixed = lpar.fixed_cpu + sum(r.fixed_cpu for r in self.taken.system.regions if r.lpar == lpar.name)
            if fixed:
                self.clock.start(self._pieces(place, fixed))
        self.clock.run(lambda: self.done.sum() >= jobs / 10)
        marks = [self._measured()]
        for batch in range(1, batches + 1):
            goal = jobs / 10 + jobs * batch / batches
            self.clock.run(lambda goal=goal: self.done.sum() >= goal)  # type: ignore[misc]
            marks.append(self._measured())
        parts = [np.diff(np.array(part), axis=0) for part in zip(*marks, strict=True)]
        return Simulated(*parts)

    def _measured(self) -> tuple[float, Array, Array, list[float], list[float], list[float]]:
        for shared in self.cps:
            shared.pass_time()
        held = [limit.measured() for limit in self.limit]
        return (
            self.clock.now,
            self.done.copy(),
            self.response.copy(),
            [shared.work for shared in self.cps],
            [inside for inside, _ in held],
            [outside for _, outside in held],
        )

    def _exponential(self, mean: float) -> float:
        return float(self.rng.exponential(mean))

    def _whole(self, mean: float) -> int:
        whole = int(mean)
        return whole + int(self.rng.random() < mean - whole)

    def _user(self, w: int) -> Process:
        work = self.taken.system.work[w]
        while True:
            if work.think_time:
                yield wait(self._exponential(work.think_time))
            yield from self._transaction(w)

    def _arrivals(self, w: int, rate: float, burst: float) -> Process:
        while True:
            yield wait(self._exponential(burst / rate))
            for _ in range(self._whole(burst)):
                self.clock.start(self._transaction(w))

    def _pieces(self, place: int, fixed: float) -> Process:
        def piece() -> Process:
            yield self.cps[place].use(self._exponential(PIECE))

        while True:
            yield wait(self._exponential(PIECE / fixed))
            self.clock.start(piece())

    def _transaction(self, w: int) -> Process:
        began = self.clock.now
        yield from self._calls(self.first[w])
        self.done[w] += 1
        self.response[w] += self.clock.now - began

    def _calls(self, among: list[tuple[int, float]] | tuple[tuple[int, float], ...]) -> Process:
        """Tasks of some places, so many in the mean of each; those of one step are one kind."""
        steps: dict[int, list[tuple[int, float]]] = {}
        for i, number in among:
            steps.setdefault(id(self.taken.tasks[i].step), []).append((i, number))
        for kinds in steps.values():
            numbers = np.array([number for _, number in kinds])
            for _ in range(self._whole(float(numbers.sum()))):
                chosen = self.rng.choice(len(kinds), p=numbers / numbers.sum()) if len(kinds) > 1 else 0
                yield from self._task(kinds[int(chosen)][0])

    def _task(self, place: int) -> Process:
        task = self.taken.tasks[place]
        held = [self.limit[task.region]]
        if task.step.tranclass is not None:
            held.insert(0, self.tranclass[task.region][task.step.tranclass])
        for places in held:
            yield places.take
        yield from self._inside(task)
        yield from self._calls(task.children)
        for places in reversed(held):
            yield places.give

    def _inside(self, task: Task) -> Process:
        step, lpar, region = task.step, self.taken.lpar_of(task), self.taken.region_of(task)
        cps, tcbs = self.cps[task.lpar], self.tcbs[task.region]
        cics = isinstance(region, CicsRegion)
        slower = (1 + lpar.processors.growth * log(max(self.point.state["busy"][task.lpar], 1.0))) / lpar.processors.speed
        switches = step.change_modes * lpar.change_mode_cpu * slower
        to_qr = (1.0 if step.open_cpu + step.jvm_cpu == 0 else 0.5) if cics else 0.0
        on_qr = cics and step.requests_from == "qr"
        if step.ro_cpu:
            yield tcbs["ro"].take
            yield cps.use(self._exponential(step.ro_cpu * slower))
            yield tcbs["ro"].give
        qr_cpu = step.qr_cpu * slower + switches * to_qr
        if qr_cpu or (on_qr and step.cf_requests):
            yield tcbs["qr"].take
            if qr_cpu:
                yield cps.use(self._exponential(qr_cpu))
            if on_qr:
                yield from self._requests(task, slower)
            yield tcbs["qr"].give
        other = step.system_cpu * slower + switches * (1 - to_qr)
        if other:
            yield cps.use(self._exponential(other))
        yield from self._eligible(task, step.open_cpu + step.cpu, slower)
        if step.jvm_cpu:
            if has_threads(region):
                yield self.threads[task.region].take
            yield from self._eligible(task, step.jvm_cpu, slower)
            if has_threads(region):
                yield self.threads[task.region].give
        if not on_qr:
            yield from self._requests(task, slower)
        for name, size in (step.log_bytes or {}).items():
            time = next(x for x in self.taken.system.loggers if x.name == name).time_of(size)
            yield self.lines[name].serve(self._exponential(time))
        for name, time in (step.devices or {}).items():
            yield self.lines[name].serve(self._exponential(time))
        delay = step.delay + step.change_modes * lpar.change_mode_wait
        if delay:
            yield wait(self._exponential(delay))

    def _eligible(self, task: Task, cpu: float, slower: float) -> Process:
        """CPU of which a share may run on zIIPs, and does where a thread is free or none may overflow."""
        lpar, ziips = self.taken.lpar_of(task), self.ziips[task.lpar]
        share = task.step.ziip_share if ziips is not None else 0.0
        if cpu * (1 - share):
            yield self.cps[task.lpar].use(self._exponential(cpu * (1 - share) * slower))
        if cpu * share and ziips is not None and lpar.ziips is not None:
            full = ziips.present >= len(ziips.speeds) and lpar.ziips.overflow
            work = self._exponential(cpu * share)
            yield self.cps[task.lpar].use(work * slower) if full else ziips.use(work / lpar.ziips.speed)

    def _requests(self, task: Task, slower: float) -> Process:
        """Requests to coupling facilities, those of one structure as one that is as long."""
        for place, facility, structure, number in self.taken.requests(task):
            engines, cps = self.facilities[place], self.cps[task.lpar]
            served = engines.serve(self._exponential(number * structure.service_time))
            if (place, structure.name, task.lpar) in self.point.state.converted:
                yield served
                yield wait(number * (facility.link.latency + facility.async_delay))
                if facility.async_cpu:
                    yield cps.use(self._exponential(number * facility.async_cpu * slower))
            else:
                if facility.link.latency:
                    yield cps.hold(wait(number * facility.link.latency))
                yield cps.hold(served)
