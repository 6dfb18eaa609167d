"""Whether a system is sure to hold the work that comes at rates, without its operating point.

Users stand in the way of work with a rate at CPs and TCBs that they share with it, while its tasks keep all places of a limit,
or wait at a TCB. Most of them are there where no limit keeps them out, and all that they wait for is the CPs. Where each limit
lets a tenth more through even so, and each TCB gets a tenth more of the CPs than it needs, all of it is held.
"""

from __future__ import annotations

import numpy as np

from qnsolve.zos.compile.compiled import Compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.equilibrium.closing import close
from qnsolve.zos.equilibrium.limits.full_limits import load_without_users
from qnsolve.zos.equilibrium.limits.limits import Limits
from qnsolve.zos.equilibrium.users.even_shares import beyond_even_share
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.demands import at_rest

from .solved import check_rates, convertible

SURE = 0.9  # load of a limit, or of a TCB, up to which it holds where users stand in the way of its tasks


def sure_to_hold(form: Compiled) -> bool:
    """True where it is; False where only the operating point tells.

    Work with rates alone, requests and zIIPs, whose times depend on what comes, tasks that wait for others, and users of higher
    importance are left to it.
    """
    need, users = needs(form), form.users > 0
    work = Working.unloaded(form, need, at_rest(form), form.rate)
    if not users.any() or work.around_matters or convertible(form) or work.depth or _above(form):
        return False
    try:
        check_rates(form, need)
    except FullPoolError:
        return False
    work.settle_rates()
    limits = Limits(work)
    if not _all_hold(work, limits):  # as if nobody waited
        return False
    close(work, limits)
    return _all_hold(work, limits) and not beyond_even_share(work, SURE)


def _above(form: Compiled) -> bool:
    """Whether users are above work with a rate on some host."""
    users = (form.users > 0)[form.work]
    highest, lowest = np.full(len(form.engines), np.inf), np.zeros(len(form.engines))
    np.minimum.at(highest, form.host[users], form.importance[users])
    np.maximum.at(lowest, form.host[~users], form.importance[~users])
    return bool((highest < lowest).any())


def _all_hold(work: Working, limits: Limits) -> bool:
    """Whether each limit lets all work with a rate through where its line has no end and others are where they are now."""
    form, users = work.form, work.form.users > 0
    theirs = np.unique(form.host[users[form.work]])
    known: set[tuple[object, ...]] = set()
    regions = [(limits.pool[region], tasks) for region, tasks in limits.tasks.items()]
    for pool, tasks in (*regions, *limits.classes.items()):
        if not len(tasks) or users[form.work[tasks]].all():
            continue
        figures = (work.flow, work.ask.on_cps, work.ask.cpu, work.ask.qr, work.off_cps, work.on_cps)
        like = (float(form.pool_size[pool]), *form.host[tasks].tolist(), *form.work[tasks].tolist())
        like += tuple(np.round([its[tasks] for its in figures], 12).ravel().tolist())
        if like in known:  # of equal regions one
            continue
        known.add(like)
        load = load_without_users(work, pool, limits.own.through, tasks, int(form.pool_size[pool]))
        if load >= (SURE if np.isin(form.host[tasks], theirs).any() else 1.0):
            return False
    return True
