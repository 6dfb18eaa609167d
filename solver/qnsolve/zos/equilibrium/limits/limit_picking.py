"""Which limits may fill, and how each is treated: with the CPs, with the chain of a QR TCB, or as a chain of its own."""

from __future__ import annotations

from math import sqrt

import numpy as np

from qnsolve.numerics.series import Places
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.groups import LimitOfCpu

from .limit_pools import LimitPools
from .limits_of_cpu import at_tcbs, hardly_on_tcbs, seldom_on_tcbs, solved_together, waits_in_lines

ON_CPS = 0.4  # share of the time in a region spent on the CPs from which on its limit is part of the chain there
OWN_CPS = 0.1  # the same of regions without TCBs: nothing else says how few of its tasks are on the CPs at once
USERS_ON_CPS = 0.6  # the same for work of users
OFTEN, FULL_ON_CPS = 0.5, 0.75  # chance of a limit that users fill, from which on it takes that share
MORE = 1.5  # share of the time on the CPs over that of all, from which on bursts are not like others
STAYS = 0.75  # of that share, down to which a limit that was part of a chain of its host stays one
CROWDED = 5.0  # wait over the time inside from which on users and work with a rate crowd before a limit
NEARLY = 0.75  # of the places of a region taken, from which on it shapes how its tasks call others
SELDOM = 0.01  # chance of a full limit, and share of the tasks that wait, up to which it limits nothing
WAITING = 0.05  # tasks in line at a QR TCB, over the places of the full region above, from which on it is a station of that
SETTLING = 4  # rounds in which limits may change between the two


class PickedLimits(LimitPools):
    """Limits, each treated as what is inside makes best."""

    def pick(self, round_: int) -> None:
        """Which limits may fill, and how each is treated."""
        if round_ > SETTLING:
            self.grouped |= self.together.limits_of(self)
            return
        self.take_shares()
        before = {*self.kept, *(int(self.work.form.pool_region[pool]) for pool in self.grouped)}
        self._let_go()
        self.gates, self.kept, self.capped = [], {}, {}
        self._pick_abreast()
        filling = [region for region, tasks in self.tasks.items() if self._may_fill(region, tasks)]
        self.lined |= {region for region in filling if waits_in_lines(self.work, self.tasks[region])}
        few = [region for region in filling if self._few(region)]
        self.gates += few
        filling = [region for region in filling if region not in few]
        self.together = solved_together(self, filling)
        self.grouped = self.together.limits_of(self)
        inside = self.together.inside
        own = self._without_tcbs([region for region in filling if region not in inside])
        for region in filling:
            if region not in inside:
                self._treat(region, region in before, region in own)
        for its in self.abreast.values():  # all of them count, where one may fill
            if not set(its).isdisjoint(self.gates):
                self.gates += [r for r in its if r not in self.gates and self.work.flow[self.tasks[r]].any()]
        for region, tasks in self.tasks.items():
            if self._line_below(region, tasks, inside):
                self.capped[region] = min(self.size(region), self.size_above(region))
        gating = {*self.gates, *self.capped}
        self.rates = {r: rates for r, rates in self.rates.items() if r in gating}

    def _few(self, region: int) -> bool:
        """Whether a limit of few places has a chain that knows where its tasks are: a class, or a region nearly alone."""
        tasks, size = self.tasks[region], self.size(region)
        if not self._simple(region):
            return False
        of_class = self.work.form.pool_kind[self.pool[region]] == Pool.TRANCLASS
        return self.few_places.few(tasks, size) if of_class else self.few_places.few_of_region(tasks, size)

    def _let_go(self) -> None:
        """Hosts whose limits, solved with the CPs, are hardly ever full have none: those inside see all others."""
        host, hosts = self.work.form.host, dict[int, bool]()
        for pool, limit in self.grouped.items():
            seen, at = self.work.seen.get(pool), int(host[limit.tasks[0]])
            hosts[at] = hosts.get(at, True) and seen is not None and max(seen.delayed, seen.full) < SELDOM
        for limit in self.grouped.values():
            if hosts[int(host[limit.tasks[0]])]:
                self.open |= {int(r) for r in np.unique(self.work.form.region[limit.tasks])}
        for region in self.open:
            self.work.pool_wait[self.pool[region]] = 0.0

    def _pick_abreast(self) -> None:
        """Which regions side by side meet in those that they call."""
        self.abreast, self.leader, self.work.longer = {}, {}, 1.0
        for its, below in self.alike.items():
            meet = any(self.nearly_full(r) for r in its) and self._meet(its, below)
            self.above |= dict.fromkeys(below, its[0] if meet else -1)
            if meet:
                self.abreast[its[0]] = its
                self.leader |= dict.fromkeys(its, its[0])

    def _meet(self, regions: tuple[int, ...], below: list[int]) -> bool:
        """Whether tasks of regions side by side wait in those below, not in a line for the CPs, where others stand as well."""
        work, lines = self.work, 0.0
        for r in below:
            tasks = self.tasks[r]
            lines += self._waiting_at_qr(tasks, r) + float(work.flow[tasks] @ work.pool_wait[self.pool[r], tasks])
        return lines > WAITING * sum(self.size(r) for r in regions) and not any(self.in_line_of_all(r) for r in below)

    def _may_fill(self, region: int, tasks: Places) -> bool:
        """Whether a region may fill; those that their TRANCLASSes bound are noted."""
        w, form = self.work, self.work.form
        flow = w.flow[tasks]
        if not len(tasks) or flow.sum() <= 0 or region in self.open:
            return False
        pool, size = self.pool[region], self.size(region)
        if (cap := self._class_cap(region)) <= size:
            if cap < size and region not in self.kept_out and not self._users_by_classes(region, tasks):
                self.capped[region] = int(cap)
            return False
        inside = float(flow @ (w.holds() + w.pool_wait[pool])[tasks])
        works = np.unique(form.work[tasks])
        most = np.inf if (form.users[works] == 0).any() else float(form.users[works].sum())
        if most <= size or size > 2.5 * inside + 6 * sqrt(inside) + 25:
            w.pool_wait[pool] = 0.0
            return False
        return True

    def _users_by_classes(self, region: int, tasks: Places) -> bool:
        """Whether users alone come, by several classes: the chain of each says how many of its own tasks are on the CPs."""
        return len(self.classes_of(region)) > 1 and bool((self.work.form.users[self.work.form.work[tasks]] > 0).all())

    def _line_below(self, region: int, tasks: Places, inside: set[int]) -> bool:
        """Whether a region that does not fill is a station of a full one above: its tasks wait at its QR TCB."""
        if region in inside or region in self.gates or self.above[region] not in self.gates or self.classes_of(region):
            return False
        return self._waiting_at_qr(tasks, region) > WAITING * self.size_above(region)

    def in_line_of_all(self, region: int) -> bool:
        """Whether tasks of a region are on the CPs, and wait there with those of others more than at their QR TCB."""
        tasks, work = self.tasks[region], self.work
        on_cps, waiting, held = (
            float(work.flow[tasks] @ its[tasks]) for its in (work.on_cps, work.on_cps - work.ask.on_cps, work.holds())
        )
        return on_cps > ON_CPS * held and self._waiting_at_qr(tasks, region) < waiting / 2

    def _waiting_at_qr(self, tasks: Places, region: int) -> float:
        """Tasks in line at the QR TCB of a region, and what CPs make them longer there [count]."""
        at = self.work.at_group.get(self.qr_pool.get(region, -1))
        return 0.0 if at is None else float(self.work.flow[tasks] @ (at - self.work.ask.qr)[tasks])

    def _without_tcbs(self, filling: list[int]) -> set[int]:
        """Regions without TCBs: all of a host where one is on the CPs for long enough, as each then sees the others."""
        host, needed = self.work.form.host, at_tcbs(self.work)
        own = [r for r in filling if not needed[self.tasks[r]].any()]
        hosts = {int(host[self.tasks[r][0]]) for r in own if self.on_cps_share(self.tasks[r]) > OWN_CPS}
        return {r for r in own if int(host[self.tasks[r][0]]) in hosts and not self._users_of_several(r, filling)}

    def _users_of_several(self, region: int, filling: list[int]) -> bool:
        """Whether users alone come to a limit and to others that fill, and wait far longer than they are inside, off the CPs.

        As many as are in all lines are not elsewhere: the chain of a host has that of each line as if it knew of no other.
        """
        w, tasks, work = self.work, self.tasks[region], self.work.form.work
        others = {*work[np.concatenate([self.tasks[r] for r in filling if r != region] or [tasks[:0]])].tolist()}
        if not (w.form.users[work[tasks]] > 0).all() or others.isdisjoint(work[tasks].tolist()):
            return False
        line = float(w.flow[tasks] @ w.pool_wait[self.pool[region], tasks])
        return line > CROWDED * float(w.flow[tasks] @ w.holds()[tasks]) and self.on_cps_share(tasks) < ON_CPS

    def on_cps_share(self, tasks: Places) -> float:
        """Share of the time inside that tasks spend on the CPs."""
        w = self.work
        return float(w.flow[tasks] @ w.on_cps[tasks]) / max(float(w.flow[tasks] @ w.holds()[tasks]), 1e-300)

    def _treat(self, region: int, before: bool, own: bool) -> None:
        """Take a limit as servers on the CPs, as part of the chain of its QR TCB, or as a chain of its own.

        As such servers those of its `own` host are, where it needs no TCB. They know nothing of who waits at a TCB inside: its
        chain tells more where busy CPs keep it busy.
        """
        w, form, tasks = self.work, self.work.form, self.tasks[region]
        flow, holds = w.flow[tasks], w.holds()[tasks]
        on_cps = self.on_cps_share(tasks)
        streams = float(flow @ (form.users[form.work[tasks]] == 0)) > 0.5 * float(flow.sum())
        mostly = float(flow @ (w.ask.qr[tasks] > 0)) > 0.9 * float(flow.sum())  # over the QR TCB
        of_users = FULL_ON_CPS if self._seen_full(region) > OFTEN else USERS_ON_CPS
        least = (ON_CPS if streams else of_users) * (STAYS if before else 1.0)
        if self._crowded(region):
            self.apart.add(region)
        simple = self._simple(region) and not self._crowded(region)
        filled = region not in self.apart and on_cps > least
        lined, bursts = region in self.lined, bool(form.in_groups[form.work[tasks]].any())
        of_tcb = simple and filled and mostly and (bursts or not lined) and (streams or not self._below_others(tasks))
        seldom = hardly_on_tcbs if of_tcb else seldom_on_tcbs
        if simple and not lined and (seldom(w, tasks) if filled else own and not self._bursts_on_cps(region)):
            self.grouped[self.pool[region]] = LimitOfCpu(tasks)
        elif of_tcb:
            self.kept[region] = float(flow @ (holds - w.on_cps[tasks])) / float(flow.sum())
        else:
            self.gates.append(region)
            if before:
                self.apart.add(region)  # CPU fills it only as long as it does not limit: once and for all

    def _seen_full(self, region: int) -> float:
        """Chance that no place of a region is left, as far as it is known."""
        its = self.work.seen.get(self.pool[region]) or self.work.crowds.get(self.pool[region])
        return 0.0 if its is None else its.full

    def _bursts_on_cps(self, region: int) -> bool:
        """Whether what comes in bursts is on the CPs for more of its time than others are: servers there have all as alike."""
        tasks = self.tasks[region]
        grouped = tasks[self.work.form.in_groups[self.work.form.work[tasks]]]
        return len(grouped) > 0 and self.on_cps_share(grouped) > MORE * self.on_cps_share(tasks)

    def _crowded(self, region: int) -> bool:
        """Whether users and work with a rate wait far longer for a limit than they are inside.

        How many of either are inside then goes with that wait, which the chain of a host has only as it was.
        """
        w, form, tasks = self.work, self.work.form, self.tasks[region]
        users = form.users[form.work[tasks]] > 0
        flow = w.flow[tasks]
        return bool(users.any() and not users.all()) and float(flow @ w.pool_wait[self.pool[region], tasks]) > CROWDED * float(
            flow @ w.holds()[tasks]
        )

    def _below_others(self, tasks: Places) -> bool:
        """Whether work of higher importance is on the CPs of some tasks: its chain knows no limit of theirs."""
        w, form = self.work, self.work.form
        higher = (form.host == form.host[tasks[0]]) & (form.importance < form.importance[tasks[0]])
        return bool((w.flow * w.ask.on_cps * higher).any())

    def _simple(self, region: int) -> bool:
        """Whether no TRANCLASS is in a region, its tasks call no others, and full regions do not call them."""
        tasks = self.tasks[region]
        if self.classes_of(region) or self.calling[tasks].any() or self.above[region] >= 0:
            return False
        return not any(self.nearly_full(caller) for caller in self.callers(tasks))

    def nearly_full(self, region: int, part: float = NEARLY) -> bool:
        """Whether a part of the places are taken, so many that this shapes how its tasks call others."""
        if region not in self.tasks:
            return False
        w, tasks = self.work, self.tasks[region]
        taken = float(w.flow[tasks] @ (w.holds() + w.pool_wait[self.pool[region]])[tasks])
        return taken > part * self.size(region)

    def _class_cap(self, region: int) -> float:
        """Tasks that the TRANCLASSes of a region let in, where all its work has one."""
        mine = self.classes_of(region)
        covered = set().union(*(set(self.classes[p].tolist()) for p in mine)) if mine else set()
        if covered != set(self.tasks[region].tolist()):
            return np.inf
        return float(self.work.form.pool_size[mine].sum())
