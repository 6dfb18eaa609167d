"""The loop of events of a network: any discipline, any variation of times, admission limits, blocking after service."""

from __future__ import annotations

from math import inf

from .compiling import compiled_loop
from .event_rows import GROW, MARGIN, REACHED, REFILL, STUCK
from .heaps import cancel, meld, schedule, without_root
from .network_rows import (
    ARRIVING_FIRST,
    ARRIVING_LAST,
    DELAY,
    EVENTS,
    FINISHED,
    FREE,
    LEFT_FREE,
    LINE,
    MOVING_FIRST,
    MOVING_LAST,
    NEXT_UNIFORM,
    ORDER,
    PLANNED,
    PREEMPTIVE,
    SHARED,
    NetworkState,
    Stations,
)


@compiled_loop
def run_network(p: Stations, s: NetworkState, goal: int, most_events: int, most_together: int) -> int:  # noqa: PLR0912, PLR0915
    """Go on until `goal` jobs have finished, so many events have passed, or something is short.

    Returns
    -------
    int
        As `run` of the loop of programs.
    """
    # names of their own: an attribute of a tuple costs time in a loop
    kind, servers, speed_start, speed, capacity, bound = p.kind, p.servers, p.speed_start, p.speed, p.capacity, p.bound
    level, service, stream, route_start, route_to = p.level, p.service, p.stream, p.route_start, p.route_to
    route_sum, release_start, release, group = p.route_sum, p.release_start, p.release, p.group
    need_start, need, places, closed, outside = p.need_start, p.need, p.places, p.closed, p.outside
    arrival_stream, size_stream, constant_size = p.arrival_stream, p.size_stream, p.constant_size
    whole, uniform, drawn, at_draw = s.whole, s.uniform, s.drawn, s.at_draw
    heap, place, time, kind_of, at, to = s.heap, s.place, s.time, s.kind_of, s.at, s.to
    work, left, since, order, link = s.work, s.left, s.since, s.order, s.link
    key, child, sibling = s.key, s.child, s.sibling
    free, serving, first_server, first, last = s.free, s.serving, s.first_server, s.first, s.last
    root, units, pace, attained, advanced, kept = s.root, s.units, s.pace, s.attained, s.advanced, s.kept
    count, blocked_first, blocked_last, dirty, dirty_list = s.count, s.blocked_first, s.blocked_last, s.dirty, s.dirty_list
    used, line_first, line_last, thinking = s.used, s.line_first, s.line_last, s.thinking
    finished, waiting, waited, asked, delayed = s.finished, s.waiting, s.waited, s.asked, s.delayed
    present, stayed, visits, worked = s.present, s.stayed, s.visits, s.worked

    stations, classes, levels, blocking = len(kind), len(closed), p.levels, p.blocking
    jobs, groups = stations + classes, len(line_first)
    length = len(drawn) // max(len(at_draw), 1)
    short = length - MARGIN
    last_u = len(uniform) - MARGIN
    now = s.now[0]
    planned, moving, moving_last = whole[PLANNED], whole[MOVING_FIRST], whole[MOVING_LAST]
    arriving, arriving_last, unused, spare = whole[ARRIVING_FIRST], whole[ARRIVING_LAST], whole[FREE], whole[LEFT_FREE]
    u, done, events, orders = whole[NEXT_UNIFORM], whole[FINISHED], whole[EVENTS], whole[ORDER]
    end = events + most_events
    changed, why, refill = 0, REACHED, 0
    while True:
        while (moving >= 0 or arriving >= 0) and refill == 0 and u <= last_u:
            if arriving >= 0:  # a job comes to its station
                j = arriving
                arriving = link[j]
                link[j] = -1
                k = at[j]
                here = k * classes + kind_of[j]
                present[here] += 1
                stayed[here] -= now
                amount = service[here]
                i = stream[here]
                if i >= 0:
                    amount *= drawn[i * length + at_draw[i]]
                    at_draw[i] += 1
                    if at_draw[i] > short:
                        refill = 1
                work[j] = amount
                if kind[k] == DELAY:
                    planned = schedule(heap, place, time, planned, jobs + j, now + amount)
                    continue
                if kind[k] == SHARED:
                    passed = now - advanced[k]
                    advanced[k] = now
                    attained[k] += passed * pace[k]
                    key[j] = attained[k] + amount
                    child[j] = -1
                    sibling[j] = -1
                    root[k] = j if root[k] < 0 else meld(key, child, sibling, root[k], j)
                    units[k] += 1
                else:
                    left[j] = amount
                    order[j] = orders
                    orders += 1
                    line = k * levels + level[here]
                    if last[line] >= 0:
                        link[last[line]] = j
                    else:
                        first[line] = j
                    last[line] = j
                if dirty[k] == 0:
                    dirty[k] = 1
                    dirty_list[changed] = k
                    changed += 1
                continue
            j = moving  # a job goes on from where it is
            moving = link[j]
            link[j] = -1
            r, origin = kind_of[j], at[j]
            step = route_start[r * (stations + 1) + origin]
            behind = route_start[r * (stations + 1) + origin + 1] - 1
            if step < behind:
                while step < behind and route_sum[step] <= uniform[u]:
                    step += 1
                u += 1
            k = route_to[step]
            if blocking > 0:
                if k == stations:
                    finished[r] += 1
                    done += 1
                    if origin < stations and closed[r] > 0 and outside[r] <= 0.0:  # it needs a place inside before it departs
                        step = route_start[r * (stations + 1) + stations]
                        behind = route_start[r * (stations + 1) + stations + 1] - 1
                        if step < behind:
                            while step < behind and route_sum[step] <= uniform[u]:
                                step += 1
                            u += 1
                        k = route_to[step]
                if origin == stations and k < stations and capacity[k] < inf:
                    asked[r] += 1
                    if count[k] >= capacity[k]:
                        delayed[r] += 1
                if k not in (stations, origin) and count[k] >= capacity[k]:
                    if origin == stations:
                        waiting[r] += 1
                        waited[r] -= now
                    to[j] = k
                    if blocked_last[k] >= 0:
                        link[blocked_last[k]] = j
                    else:
                        blocked_first[k] = j
                    blocked_last[k] = j
                    continue
            else:
                admits = 0
                for i in range(release_start[step], release_start[step + 1]):
                    used[release[i]] -= 1
                    admits = 1
                if k == stations:
                    finished[r] += 1
                    done += 1
            while True:  # with blocking, whoever waits for its place follows it
                if blocking > 0 and origin < stations:
                    here = origin * classes + r
                    present[here] -= 1
                    stayed[here] += now
                    count[origin] -= 1
                    if bound[origin] > 0:
                        if kind[origin] == SHARED:
                            attained[origin] += (now - advanced[origin]) * pace[origin]
                            advanced[origin] = now
                            kept[origin] -= 1
                        else:
                            free[origin] += 1
                        if dirty[origin] == 0:
                            dirty[origin] = 1
                            dirty_list[changed] = origin
                            changed += 1
                at[j] = k
                if k == stations:
                    if closed[r] == 0:
                        link[j] = unused
                        unused = j
                        spare += 1
                    elif outside[r] <= 0.0:
                        if moving >= 0:
                            link[moving_last] = j
                        else:
                            moving = j
                        moving_last = j
                    else:
                        link[j] = unused
                        unused = j
                        spare += 1
                        thinking[r] += 1
                        i = arrival_stream[r]
                        until = now + outside[r] * drawn[i * length + at_draw[i]]
                        at_draw[i] += 1
                        if at_draw[i] > short:
                            refill = 1
                        if place[stations + r] < 0 or until < time[stations + r]:
                            planned = schedule(heap, place, time, planned, stations + r, until)
                elif blocking > 0 or group[step] < 0:
                    count[k] += 1
                    if arriving >= 0:
                        link[arriving_last] = j
                    else:
                        arriving = j
                    arriving_last = j
                if blocking == 0 or origin in (stations, k) or blocked_first[origin] < 0:
                    break
                k = origin
                j = blocked_first[k]
                blocked_first[k] = link[j]
                if link[j] < 0:
                    blocked_last[k] = -1
                link[j] = -1
                r, origin = kind_of[j], at[j]
                if origin == stations:
                    waiting[r] -= 1
                    waited[r] += now
            if blocking > 0:
                continue
            if k < stations and group[step] >= 0:
                asked[r] += 1
                waiting[r] += 1
                waited[r] -= now
                order[j] = orders
                orders += 1
                g = group[step]
                if line_last[g] >= 0:
                    link[line_last[g]] = j
                else:
                    line_first[g] = j
                line_last[g] = j
                admits = 1
                left[j] = -1.0  # it waits
            while admits > 0:  # of the jobs that can enter, the one that has waited longest
                admits = 0
                chosen = -1
                for g in range(groups):
                    head = line_first[g]
                    if head >= 0 and (chosen < 0 or order[head] < order[line_first[chosen]]):
                        fits = 1
                        for i in range(need_start[g], need_start[g + 1]):
                            if used[need[i]] >= places[need[i]]:
                                fits = 0
                                break
                        if fits > 0:
                            chosen = g
                if chosen >= 0:
                    admits = 1
                    i = line_first[chosen]
                    line_first[chosen] = link[i]
                    if link[i] < 0:
                        line_last[chosen] = -1
                    link[i] = -1
                    left[i] = 0.0
                    for n in range(need_start[chosen], need_start[chosen + 1]):
                        used[need[n]] += 1
                    waiting[kind_of[i]] -= 1
                    waited[kind_of[i]] += now
                    if arriving >= 0:
                        link[arriving_last] = i
                    else:
                        arriving = i
                    arriving_last = i
            if k < stations and group[step] >= 0 and left[j] < 0.0:
                delayed[r] += 1
        for n in range(changed):
            k = dirty_list[n]
            dirty[k] = 0
            if kind[k] == SHARED:
                rows = speed_start[k + 1] - speed_start[k]
                if root[k] < 0:
                    attained[k] = 0.0
                    pace[k] = 0.0
                elif bound[k] > 0:
                    pace[k] = min(units[k], rows - kept[k]) / units[k]
                else:
                    pace[k] = speed[speed_start[k] + min(units[k], rows) - 1] / units[k]
                if pace[k] > 0.0:
                    until = now + max(key[root[k]] - attained[k], 0.0) / pace[k]
                    planned = schedule(heap, place, time, planned, k, until)
                else:
                    planned = cancel(heap, place, time, planned, k)
                continue
            best = 0
            while True:
                while best < levels and first[k * levels + best] < 0:
                    best += 1
                if best == levels:
                    break
                if free[k] == 0:
                    if kind[k] == LINE:
                        break
                    worst = -1  # the job in service that is last by priority and arrival
                    for i in range(first_server[k], first_server[k] + servers[k]):
                        j = serving[i]
                        if worst < 0:
                            worst = i
                            continue
                        mine, other = level[k * classes + kind_of[j]], level[k * classes + kind_of[serving[worst]]]
                        if mine > other or (mine == other and order[j] > order[serving[worst]]):
                            worst = i
                    j = serving[worst]
                    line = k * levels + level[k * classes + kind_of[j]]
                    if line <= k * levels + best:
                        break
                    planned = cancel(heap, place, time, planned, jobs + j)
                    left[j] = max(left[j] - (now - since[j]), 0.0)
                    serving[worst] = -1
                    free[k] += 1
                    link[j] = first[line]
                    first[line] = j
                    if last[line] < 0:
                        last[line] = j
                line = k * levels + best
                j = first[line]
                first[line] = link[j]
                if link[j] < 0:
                    last[line] = -1
                link[j] = -1
                free[k] -= 1
                since[j] = now
                planned = schedule(heap, place, time, planned, jobs + j, now + left[j])
                if kind[k] == PREEMPTIVE:
                    i = first_server[k]
                    while serving[i] >= 0:
                        i += 1
                    serving[i] = j
        changed = 0
        if refill > 0 or u > last_u:
            why = REFILL
            break
        if done >= goal or events >= end:
            break
        if planned == 0:
            why = STUCK
            break
        if spare <= most_together:
            why = GROW
            break
        event = heap[0]
        events += 1
        now = time[event]
        planned = cancel(heap, place, time, planned, event)
        if stations <= event < jobs:  # jobs from outside
            r = event - stations
            i = arrival_stream[r]
            size = 1
            gap = outside[r]
            if closed[r] > 0:
                thinking[r] -= 1
                gap = gap / thinking[r] if thinking[r] > 0 else inf
            else:
                size = constant_size[r]
                n = size_stream[r]
                if n >= 0:
                    size = int(drawn[n * length + at_draw[n]])
                    at_draw[n] += 1
                    if at_draw[n] > short:
                        refill = 1
            if gap < inf:
                if i >= 0:
                    gap *= drawn[i * length + at_draw[i]]
                    at_draw[i] += 1
                    if at_draw[i] > short:
                        refill = 1
                planned = schedule(heap, place, time, planned, event, now + gap)
            for _ in range(size):
                j = unused
                unused = link[j]
                spare -= 1
                kind_of[j] = r
                at[j] = stations
                link[j] = -1
                if moving >= 0:
                    link[moving_last] = j
                else:
                    moving = j
                moving_last = j
            continue
        if event < stations:
            k = event
            attained[k] += (now - advanced[k]) * pace[k]
            advanced[k] = now
            j = root[k]
            attained[k] = key[j]
            root[k] = without_root(key, child, sibling, j)
            units[k] -= 1
            if bound[k] > 0:
                kept[k] += 1
        else:
            j = event - jobs
            k = at[j]
            if bound[k] == 0 and kind[k] != DELAY:
                free[k] += 1
            if kind[k] == PREEMPTIVE:
                i = first_server[k]
                while serving[i] != j:
                    i += 1
                serving[i] = -1
        if kind[k] != DELAY and dirty[k] == 0:
            dirty[k] = 1
            dirty_list[changed] = k
            changed += 1
        here = k * classes + kind_of[j]
        visits[here] += 1
        worked[here] += work[j]
        if blocking == 0:
            present[here] -= 1
            stayed[here] += now
        link[j] = -1
        moving = j
        moving_last = j
    s.now[0] = now
    whole[PLANNED], whole[MOVING_FIRST], whole[MOVING_LAST] = planned, moving, moving_last
    whole[ARRIVING_FIRST], whole[ARRIVING_LAST], whole[FREE], whole[LEFT_FREE] = arriving, arriving_last, unused, spare
    whole[NEXT_UNIFORM], whole[FINISHED], whole[EVENTS], whole[ORDER] = u, done, events, orders
    return why
