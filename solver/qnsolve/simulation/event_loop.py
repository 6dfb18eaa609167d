"""The loop of events: jobs go through programs, hold places of pools, and share the speed of servers."""

from __future__ import annotations

from math import inf, log1p

from .compiling import Cells, compiled_loop
from .event_rows import (
    CALL,
    END,
    EVENTS,
    FINISHED,
    FIXED,
    FREE,
    GIVE,
    GROW,
    HOLD,
    IN_LINES,
    INSIDE,
    JOIN,
    LEAVE,
    LEFT_FREE,
    LET,
    MARGIN,
    NEXT_EXPONENTIAL,
    NEXT_UNIFORM,
    PLANNED,
    REACHED,
    READY_FIRST,
    READY_LAST,
    REFILL,
    SHARE,
    SHARE_ELSE,
    SHARE_UNIT,
    SKIP,
    STUCK,
    TAKE,
    WAIT,
    LoopState,
    Programs,
)
from .heaps import cancel, meld, schedule, without_root


@compiled_loop
def advance(first: int, end: int, passed: float, pace: Cells, attained: Cells, units: Cells, spins: Cells, busy: Cells) -> None:
    """The units in the queues of a server get what is theirs of the time that passed."""
    for q in range(first, end):
        got = passed * pace[q]
        attained[q] += got
        busy[q] += got * units[q] + passed * spins[q]


@compiled_loop
def share_out(b: int, q: int, members: Cells, stopped: Cells, given: Cells, since: Cells, attained: Cells) -> None:
    """The members of a bundle get what is theirs up to now, once its queue has."""
    if members[b] > 0 and stopped[b] == 0:
        given[b] += (attained[q] - since[b]) / members[b]
    since[b] = attained[q]


@compiled_loop
def plan_bundle(
    b: int, q: int, members: Cells, stopped: Cells, given: Cells, attained: Cells, due: Cells, top: Cells, key: Cells
) -> None:
    """When the next member of a bundle ends."""
    if members[b] == 0:
        given[b] = 0.0
        due[b] = inf
    elif stopped[b] > 0:
        due[b] = inf
    else:
        due[b] = attained[q] + max(key[top[b]] - given[b], 0.0) * members[b]


@compiled_loop
def integrate(p: Programs, s: LoopState) -> None:
    """Bring the totals of servers and pools up to now."""
    now = s.now[0]
    for server in range(len(p.engines)):
        passed = now - s.advanced[server]
        advance(p.first_queue[server], p.first_queue[server + 1], passed, s.pace, s.attained, s.units, s.spins, s.busy)
        s.advanced[server] = now
    for pool in range(len(s.free)):
        passed = now - s.counted_to[pool]
        s.held_area[pool] += passed * s.held[pool]
        s.line_area[pool] += passed * s.length[pool]
        s.counted_to[pool] = now


@compiled_loop
def run(p: Programs, s: LoopState, goal: int, most_events: int) -> int:  # noqa: PLR0912, PLR0915
    """Go on until `goal` jobs that are counted have finished, so many events have passed, or something is short.

    Returns
    -------
    int
        REACHED; REFILL where the random numbers have been used up; GROW where there are no free
        jobs; STUCK where all jobs inside wait for each other, or nothing will happen any more.
    """
    # names of their own: an attribute of a tuple costs time in a loop
    code, arg, other, mean, other_mean, start = p.code, p.arg, p.other, p.mean, p.other_mean, p.start
    group_start, group_task, group_sum, tasks = p.group_start, p.group_task, p.group_sum, p.tasks
    server_of, first_queue, first_bundle, queue_of = p.server_of, p.first_queue, p.first_bundle, p.queue_of
    engines, speed_start, speed, most = p.engines, p.speed_start, p.speed, p.most
    rate, think, burst, tick, users, counted = p.rate, p.think, p.burst, p.tick, p.users, p.counted
    whole, heap, place, time, exponential, uniform = s.whole, s.heap, s.place, s.time, s.exponential, s.uniform
    source, began, level, frame, calls, entered, task = s.source, s.began, s.level, s.frame, s.calls, s.entered, s.task
    link, key, child, sibling = s.link, s.key, s.child, s.sibling
    free, held, first, last, length, counted_to = s.free, s.held, s.first, s.last, s.length, s.counted_to
    root, units, spins, pace, attained, advanced = s.root, s.units, s.spins, s.pace, s.attained, s.advanced
    following, dirty, dirty_list = s.following, s.dirty, s.dirty_list
    top, members, stopped, given, since, due = s.top, s.members, s.stopped, s.given, s.since, s.due
    thinking, gathered, arrived, done, response, busy = s.thinking, s.gathered, s.arrived, s.done, s.response, s.busy
    held_area, line_area, asked, delayed = s.held_area, s.line_area, s.asked, s.delayed
    task_done, task_time = s.task_done, s.task_time

    depth, servers, queues = p.depth, len(engines), len(server_of)
    jobs = servers + len(rate)
    now = s.now[0]
    planned, ready, latest, unused = whole[PLANNED], whole[READY_FIRST], whole[READY_LAST], whole[FREE]
    x, u, finished, events = whole[NEXT_EXPONENTIAL], whole[NEXT_UNIFORM], whole[FINISHED], whole[EVENTS]
    spare, inside, in_lines = whole[LEFT_FREE], whole[INSIDE], whole[IN_LINES]
    last_x, last_u = len(exponential) - MARGIN, len(uniform) - MARGIN
    end = events + most_events
    changed, why = 0, REACHED
    while True:
        while ready >= 0:
            j = ready
            lev = level[j]
            f = j * depth + lev
            pc = frame[f]
            on = True
            while on and x <= last_x and u <= last_u:
                op, a = code[pc], arg[pc]
                q = -1  # the queue whose units change
                if op == END:
                    if lev > 0:  # of a task that another one waits for
                        task_done[task[f]] += 1
                        task_time[task[f]] += now - entered[f]
                        lev -= 1
                        f -= 1
                        pc = frame[f]
                        continue
                    w = source[j]
                    on = False
                    ready = link[j]
                    finished += counted[w]
                    inside -= counted[w]
                    done[w] += 1
                    response[w] += now - began[j]
                    if users[w] > 0 and think[w] <= 0.0:  # it begins again
                        arrived[w] += 1
                        inside += counted[w]
                        began[j] = now
                        pc = start[tasks + w]
                        calls[f] = -1
                        link[j] = -1
                        if ready >= 0:
                            link[latest] = j
                        else:
                            ready = j
                        latest = j
                        continue
                    if users[w] > 0 and tick[w] > 0.0 and burst[w] > 1.0:  # in step: it thinks as long as all others
                        arrived[w] += 1
                        inside += counted[w]
                        began[j] += int((now - began[j]) / tick[w]) * tick[w] + think[w]
                        planned = schedule(heap, place, time, planned, jobs + j, began[j])
                        pc = start[tasks + w]
                        calls[f] = -1
                        continue
                    link[j] = unused
                    unused = j
                    spare += 1
                    if users[w] > 0:
                        thinking[w] += 1
                        event = servers + w
                        if tick[w] > 0.0:  # its next tick is planned already
                            continue
                        if burst[w] > 1.0:  # all who think draw again: an exponential time has no memory
                            until = now + exponential[x] * think[w] * min(burst[w], thinking[w]) / thinking[w]
                            planned = schedule(heap, place, time, planned, event, until)
                        else:
                            until = now + exponential[x] * think[w]
                            if place[event] < 0 or until < time[event]:
                                planned = schedule(heap, place, time, planned, event, until)
                        x += 1
                    continue
                if op == SKIP:
                    further = mean[pc] >= 1.0
                    if not further:
                        further = uniform[u] < mean[pc]
                        u += 1
                    pc += a if further else 1
                    continue
                if op in (TAKE, GIVE, HOLD, LET):
                    passed = now - counted_to[a]
                    if passed > 0.0:
                        held_area[a] += passed * held[a]
                        line_area[a] += passed * length[a]
                        counted_to[a] = now
                    if op in (TAKE, HOLD):
                        asked[a] += 1
                        if free[a] > 0:
                            free[a] -= 1
                            held[a] += 1
                            if op == HOLD:
                                q = queue_of[other[pc]]
                        else:
                            delayed[a] += 1
                            length[a] += 1
                            in_lines += 1
                            on = False
                            ready = link[j]
                            link[j] = -1
                            if last[a] >= 0:
                                link[last[a]] = j
                            else:
                                first[a] = j
                            last[a] = j
                    elif first[a] >= 0:
                        k = first[a]
                        length[a] -= 1
                        in_lines -= 1
                        first[a] = link[k]
                        if link[k] < 0:
                            last[a] = -1
                        link[k] = -1
                        link[latest] = k
                        latest = k
                    else:
                        free[a] += 1
                        held[a] -= 1
                        if op == LET:
                            q = queue_of[other[pc]]
                elif op in (WAIT, FIXED):
                    delay = mean[pc]
                    if op == WAIT:
                        delay *= exponential[x]
                        x += 1
                    planned = schedule(heap, place, time, planned, jobs + j, now + delay)
                    on = False
                    ready = link[j]
                elif op == CALL:
                    if calls[f] < 0:
                        number = int(mean[pc])
                        if mean[pc] > number:
                            if uniform[u] < mean[pc] - number:
                                number += 1
                            u += 1
                        calls[f] = number
                    calls[f] -= 1
                    if calls[f] >= 0:
                        member, behind = group_start[a], group_start[a + 1] - 1
                        if member < behind:
                            drawn = uniform[u]
                            u += 1
                            while member < behind and group_sum[member] <= drawn:
                                member += 1
                        frame[f] = pc
                        lev += 1
                        f += 1
                        calls[f] = -1
                        entered[f] = now
                        task[f] = group_task[member]
                        pc = start[task[f]]
                        continue
                else:
                    q = queue_of[a] if op == SHARE_UNIT else a
                    if op == SHARE_ELSE and units[a] >= most[server_of[a]]:
                        q = other[pc]
                if q >= 0:
                    server = server_of[q]
                    passed = now - advanced[server]
                    if passed > 0.0:
                        advanced[server] = now
                        advance(first_queue[server], first_queue[server + 1], passed, pace, attained, units, spins, busy)
                    if dirty[server] == 0:
                        dirty[server] = 1
                        dirty_list[changed] = server
                        changed += 1
                    if op in (SHARE, SHARE_ELSE):
                        key[j] = attained[q] + exponential[x] * (mean[pc] if q == a else other_mean[pc])
                        x += 1
                        child[j] = sibling[j] = -1
                        root[q] = j if root[q] < 0 else meld(key, child, sibling, root[q], j)
                        units[q] += 1
                        on = False
                        ready = link[j]
                    elif op in (JOIN, LEAVE):
                        spins[q] += 1 if op == JOIN else -1
                    else:
                        b = a if op == SHARE_UNIT else other[pc]
                        share_out(b, q, members, stopped, given, since, attained)
                        if op == SHARE_UNIT:
                            key[j] = given[b] + exponential[x] * mean[pc]
                            x += 1
                            child[j] = sibling[j] = -1
                            top[b] = j if members[b] == 0 else meld(key, child, sibling, top[b], j)
                            if members[b] == 0 and stopped[b] == 0:
                                units[q] += 1
                            members[b] += 1
                            on = False
                            ready = link[j]
                        else:
                            stopped[b] = 1 if op == HOLD else 0
                            if members[b] > 0:
                                units[q] += -1 if op == HOLD else 1
                        plan_bundle(b, q, members, stopped, given, attained, due, top, key)
                pc += 1
            level[j] = lev
            frame[f] = pc
            if on:
                break
        for i in range(changed):
            server = dirty_list[i]
            dirty[server] = 0
            table = speed_start[server]
            rows = speed_start[server + 1] - table
            spinning = 0
            for q in range(first_queue[server], first_queue[server + 1]):
                spinning += spins[q]
            left = max(engines[server] - spinning, 0.0)  # who spins has an engine to itself
            soonest, where = inf, -1
            for q in range(first_queue[server], first_queue[server + 1]):
                count = units[q]
                if count == 0:
                    attained[q] = 0.0
                    pace[q] = 0.0
                    continue
                if rows > 0:
                    each = speed[table + min(count, rows) - 1] / count
                elif count <= left:
                    each = 1.0
                    left -= count
                else:
                    each = left / count
                    left = 0.0
                pace[q] = each
                if each > 0.0:
                    if root[q] >= 0:
                        until = (key[root[q]] - attained[q]) / each
                        if until < soonest:
                            soonest, where = until, q
                    for b in range(first_bundle[q], first_bundle[q + 1]):
                        until = (due[b] - attained[q]) / each
                        if until < soonest:
                            soonest, where = until, queues + b
            following[server] = where
            if where < 0:
                planned = cancel(heap, place, time, planned, server)
            else:
                planned = schedule(heap, place, time, planned, server, now + max(soonest, 0.0))
        changed = 0
        if ready >= 0 or x > last_x or u > last_u:
            why = REFILL
            break
        if finished >= goal or events >= end:
            break
        if planned == 0 or inside == in_lines > 0:  # whoever holds a place waits for another
            why = STUCK
            break
        event = heap[0]
        if servers <= event < jobs and spare <= burst[event - servers] + 1.0:
            why = GROW
            break
        events += 1
        now = time[event]
        if event >= jobs:
            planned = cancel(heap, place, time, planned, event)
            ready = latest = event - jobs
            link[ready] = -1
        elif event < servers:
            advance(first_queue[event], first_queue[event + 1], now - advanced[event], pace, attained, units, spins, busy)
            advanced[event] = now
            q = following[event]
            if q < queues:
                j = root[q]
                attained[q] = key[j]
                root[q] = without_root(key, child, sibling, j)
                units[q] -= 1
            else:
                b = q - queues
                q = queue_of[b]
                j = top[b]
                attained[q] = since[b] = due[b]
                given[b] = key[j]
                top[b] = without_root(key, child, sibling, j)
                members[b] -= 1
                if members[b] == 0:
                    units[q] -= 1
                plan_bundle(b, q, members, stopped, given, attained, due, top, key)
            dirty[event] = 1
            dirty_list[0] = event
            changed = 1
            ready = latest = j
            link[j] = -1
        else:
            w = event - servers
            size = int(burst[w])
            if burst[w] > size:
                if uniform[u] < burst[w] - size:
                    size += 1
                u += 1
            gap = inf
            if tick[w] > 0.0:  # one after another of those that came since the last tick, all at this moment
                each = inf
                if users[w] == 0:
                    each = burst[w] / rate[w]
                elif thinking[w] > 0:
                    each = -tick[w] / log1p(-tick[w] / think[w]) / thinking[w] if tick[w] < think[w] else 0.0
                gathered[w] += each * exponential[x] if each < inf else inf
                gap = 0.0
                if gathered[w] > tick[w]:
                    gathered[w], gap, size = 0.0, tick[w], 0
                elif users[w] > 0:
                    thinking[w] -= size
            elif users[w] > 0:
                size = min(size, thinking[w])
                thinking[w] -= size
                if thinking[w] > 0:
                    gap = think[w] * min(burst[w], thinking[w]) / thinking[w] * exponential[x]
            else:
                gap = burst[w] / rate[w] * exponential[x]
            if gap < inf:
                planned = schedule(heap, place, time, planned, event, now + gap)
                x += 1
            else:
                planned = cancel(heap, place, time, planned, event)
            arrived[w] += size
            inside += size * counted[w]
            for _ in range(size):
                j = unused
                unused = link[j]
                spare -= 1
                source[j] = w
                began[j] = now
                level[j] = 0
                frame[j * depth] = start[tasks + w]
                calls[j * depth] = -1
                link[j] = -1
                if ready >= 0:
                    link[latest] = j
                else:
                    ready = j
                latest = j
    s.now[0] = now
    whole[PLANNED], whole[READY_FIRST], whole[READY_LAST], whole[FREE] = planned, ready, latest, unused
    whole[NEXT_EXPONENTIAL], whole[NEXT_UNIFORM], whole[FINISHED], whole[EVENTS] = x, u, finished, events
    whole[LEFT_FREE], whole[INSIDE], whole[IN_LINES] = spare, inside, in_lines
    return why
