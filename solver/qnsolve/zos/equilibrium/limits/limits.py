"""MXT, TRANCLASS, dependent regions: the waits for all limits, which move each other.

Passes over all limits end where the waits do. First they are taken at once as they are found, with all users' answers to them;
where that does not lead on by steps of earlier changes, and else between waits that are too short and too long.
"""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.equilibrium.brackets import Brackets
from qnsolve.zos.equilibrium.relaxed_steps import SecantSteps, StepLength
from qnsolve.zos.equilibrium.working import EFFORT

from .each_limit import EachLimit
from .equal_limits import EqualLimits
from .full_limits import load_without_users, users_in_line
from .waits_at_full import WaitsAtFull

CALM = 1e-3  # waits that change less, over the response time, are settled
PASSES, MOST = 24, 1.25  # over all limits in one round, and effort after which there are no more, over that of the rounds
SLOW, TRIES = 0.5, 4  # change of the waits over the least so far, and how often it is more until steps at once are given up
EARLY = 10  # passes in the first round: hosts are not known yet
FAR = 0.1  # change of a rate from which on the waits are bracketed [ratio]
STILL = 0.1  # change of what a limit is solved for, over that of the waits at which it ends, that is left alone
LATE, ASTRAY = 6, 0.1  # rounds, and change of the waits, after which they are begun with those of full limits
CAREFUL = {"least": 0.02, "stale": 1e3, "farther": 1.0}  # brackets of rates, whose waits follow behind
STUCK = 5  # changes of the waits that are more than `SLOW`, until they are sought between brackets
SHORT = 1e-12  # wait over the time inside, below which there is none


class _Nearest:
    """The pass of a round that moved the waits least."""

    def __init__(self) -> None:
        self.moved, self.waits, self._since = np.inf, np.zeros((0, 0)), 0

    def see(self, moved: float, waits: Array) -> bool:
        """Whether passes come no nearer to waits that are settled already; these may be those of this pass."""
        self._since = self._since + 1 if moved > self.moved else 0
        if moved <= self.moved:
            self.moved, self.waits = moved, waits.copy()
        return self._since > TRIES and self.moved < CALM


class Limits(EachLimit):
    """All limits, solved in turn."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.steep = False  # whether brackets alone find the waits: at each step the changes are others
        self.moved, self.astray = np.inf, False  # change of the waits at the last pass; whether they do not settle
        self.equal = EqualLimits(self)

    def begin(self) -> None:
        """First waits, where users alone come to limits."""
        if self.gates and not self.classes and not self._beside_streams():
            self.feedback.begin([(self.pool[region], self.tasks[region]) for region in self.gates])

    def solve(self, near: float) -> None:
        """Waits for all limits, classes before regions, the regions that are called before their callers.

        `near` is the change of the waits over the response time at which it ends.
        """
        w = self.work
        self._begin_round()
        if self.calm:
            return
        self._begin_full()
        brackets: Brackets | None = None
        steps, stuck, nearest = SecantSteps(), 0, _Nearest()
        waits, turns, users, apart = StepLength(), StepLength(), w.form.users > 0, self._beside_streams()
        at_once, longer = not apart and not self.classes, 0
        most = PASSES if w.rounds > 1 else EARLY
        for passed in range(most):  # at once, else by steps, and where these do not lead on between brackets
            before, come = w.pool_wait.copy(), w.rate.copy()
            self._pass(brackets is None, STILL * near)
            moved = self._moved_times(before)
            w.settle_rates()
            farthest = float(np.abs(w.rate[users] / np.maximum(come[users], 1e-300) - 1).max(initial=0.0))
            if brackets is not None and apart:
                moved = max(moved, farthest)
            self.calm = moved < CALM
            slow = moved > SLOW * nearest.moved
            stuck, longer = stuck + slow if not at_once else 0, longer + slow
            if nearest.see(moved, w.pool_wait):
                w.pool_wait, self.moved, self.calm = nearest.waits, nearest.moved, True
                w.settle_rates()
                break
            at_once = at_once and not self.joined and longer < TRIES
            if at_once:  # also in the last pass: what is left is less
                self.feedback.step(before, [self.pool[region] for region in self.order], turns if longer > 1 else None)
            self.moved = moved
            if moved < near or passed == most - 1 or w.effort > MOST * EFFORT:
                break
            if at_once:
                continue
            self.steep |= stuck > STUCK
            if not self.steep:
                self._step(steps, before)
                continue
            brackets = brackets or self._brackets(apart, farthest)
            if brackets is None:
                self._relax(waits, before)
            elif apart:
                self._relax(turns, before)
                w.rate = np.where(users, brackets.next(come, w.rate), come)
            else:
                self._between(brackets, before)
        self.at_tcbs.solve_cps()
        for region, found in self.found.items():
            self.note_rates(region, found)
        self.note_let_in()

    def _begin_round(self) -> None:
        """Note what the last round has found, and forget what holds for that alone; without limits there is no more to do."""
        self.stale = set(self.ratios)
        self.note_inside()
        self.returning.look()
        self.found, self.nu, self.inputs = {}, {}, {}
        self.feedback.seen, self.feedback.by_places = {}, {}
        self.joined = False
        self.calm = not self.gates and not self.classes

    def _begin_full(self) -> None:
        """Waits of users for limits that are full by them, all together, once rounds did not settle them."""
        w = self.work
        self.astray |= w.rounds > LATE and self.moved > ASTRAY
        if not self.astray or not (w.form.users > 0).any():
            return
        limits = {self.pool[r]: (self.tasks[r], float(self.size(r))) for r in self.gates if len(self.tasks[r])}
        limits |= {int(pool): (tasks, float(w.form.pool_size[pool])) for pool, tasks in self.classes.items()}
        outer = {int(pool): self.pool[int(w.form.pool_region[pool])] for pool in self.classes}
        waits = WaitsAtFull(w, limits, outer).solve()
        if waits is None:
            return
        for (pool, (tasks, _)), wait in zip(limits.items(), waits.tolist(), strict=True):
            if wait > 0:
                w.pool_wait[pool, tasks] = wait
        w.settle_rates()

    def _moved_times(self, before: Array) -> float:
        """Change of the waits, as far as response times have it, over the longest of these."""
        w, form = self.work, self.work.form
        moved = np.bincount(form.work, form.visits * np.abs(w.pool_wait - before).sum(axis=0))
        return float(moved.max()) / (1e-6 + float(w.response.max()))

    def apply(self) -> None:
        """Times at CPs and TCBs that were just found, as if none were kept out, as they are."""
        self.at_tcbs.note_hosts()
        self.own.apply(hosts=True)
        self.at_tcbs.apply()
        self.few_places.apply()

    def note_full(self) -> None:
        """Note limits that work with a rate fills beside users, by what they let through: unsettled rounds do not tell.

        Those of work with a rate alone are told by their own lines.
        """
        limits = [(self.pool[region], self.tasks[region], self.size(region)) for region in self.gates]
        limits += [(pool, tasks, int(self.work.form.pool_size[pool])) for pool, tasks in self.classes.items()]
        for pool, tasks, size in limits:
            if users_in_line(self.work, pool, tasks):
                load = load_without_users(self.work, pool, self.own.through, tasks, size)
                if load >= 1:
                    self.work.overloaded(pool, load)

    def _beside_streams(self) -> bool:
        """Whether work with a rate comes to the limits: its waits are as long as users leave them, whatever is tried."""
        tasks = [self.tasks[region] for region in self.gates] + list(self.classes.values())
        return bool((self.work.form.users[self.work.form.work[np.concatenate(tasks)]] == 0).any())

    def _brackets(self, apart: bool, farthest: float) -> Brackets | None:
        """For rates of users, or waits, of which `farthest` is the largest change of a rate; None where that is small."""
        if farthest <= FAR:
            return None
        return Brackets(len(self.work.rate), **CAREFUL) if apart else Brackets(len(self.work.pool_wait))

    def _between(self, brackets: Brackets, before: Array) -> None:
        """Waits of each limit between those that are too short and too long, the tasks there in the ratios found."""
        w = self.work
        flow = np.maximum(w.flow, 1e-300) * ((w.pool_wait > 0) | (before > 0))
        share = flow / np.maximum(flow.sum(axis=1), 1e-300)[:, None]
        own = np.maximum((share * np.maximum(w.on_cps + w.off_cps, 1e-12)).sum(axis=1), 1e-12)
        tried, found = (share * before).sum(axis=1), (share * w.pool_wait).sum(axis=1)
        goal = np.maximum(brackets.next(tried + own, found + own) - own, 0.0)
        some = found > SHORT * own
        now = np.where(some, found, tried)
        scale = np.divide(goal, now, out=np.zeros(len(goal)), where=now > SHORT * own)
        w.pool_wait = np.where(some[:, None], w.pool_wait, before) * scale[:, None]
        w.settle_rates()

    def _relax(self, length: StepLength, before: Array) -> None:
        """Go from the waits before toward those just found, as far as users follow them."""
        w = self.work
        own = np.maximum(w.on_cps + w.off_cps, 1e-12)
        change = np.log((w.pool_wait + own) / (before + own))
        spent = w.flow * (own + w.wait)
        part = length.next((change * np.sqrt(spent / max(float(spent.sum()), 1e-300))).ravel())
        if part < 1.0:
            w.pool_wait = np.where(change == 0, before, np.maximum((before + own) * np.exp(part * change) - own, 0.0))
            w.settle_rates()

    def _step(self, steps: SecantSteps, before: Array) -> None:
        """Go from the waits before by those just found, and earlier ones."""
        w = self.work
        (pools, tasks), own = w.limited, np.maximum(w.on_cps + w.off_cps, 1e-12)
        spent = w.flow * (own + w.wait)
        at, found = (np.log(waits + own)[pools, tasks] for waits in (before, w.pool_wait))
        now = steps.next(at, found, np.sqrt(spent / max(float(spent.sum()), 1e-300))[tasks])
        w.pool_wait[pools, tasks] = np.where(at == found, before[pools, tasks], np.maximum(np.exp(now) - own[tasks], 0.0))
        w.settle_rates()

    def _pass(self, follow: bool, still: float) -> None:
        """All limits to which something moved by more than a part `still`; users' rates as they are found, or as they are."""
        self.take_shares()
        self.equal.begin()
        for region in self.order:
            if region in self.equal.kind:
                self._pass_equal(region, follow, still)
            else:
                self.solve_region(region, follow, still)

    def _pass_equal(self, region: int, follow: bool, still: float) -> None:
        """The limits of one of several equal regions, if those of no other were solved before in this pass."""
        seen = self.equal.seen(region)
        other = self.equal.before(region, seen)
        if other >= 0:
            self.equal.copy(region, other)
            for stations in (self.own, self.at_tcbs, self.few_places):
                stations.copy(self.equal.pairs(region, other), self.tasks[region], self.tasks[other])
            for pool, its in self.equal.pairs(region, other):
                if its in self.inputs:
                    self.inputs[pool] = self.inputs[its]
        elif self.solve_region(region, follow, still):
            self.equal.solved[self.equal.kind[region]] = region, seen
