"""Heaps on rows of numbers: the events by their times, and units of work by what each has left."""

from __future__ import annotations

from .compiling import Cells, compiled_loop


@compiled_loop
def schedule(heap: Cells, place: Cells, time: Cells, size: int, event: int, when: float) -> int:
    """Plan an event, or plan it anew.

    Parameters
    ----------
    heap : (N,), int
        Events in a binary heap by their times, from place 0.
    place : (N,), int
        Where each event stands in the heap; -1 for those that are not planned.
    time : (N,)
        Of each event.
    size : int
        Events planned.
    event : int
    when : float

    Returns
    -------
    int
        Events planned now.
    """
    at = place[event]
    if at < 0:
        at = size
        size += 1
    while at > 0:
        above = (at - 1) >> 1
        other = heap[above]
        if time[other] <= when:
            break
        heap[at] = other
        place[other] = at
        at = above
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        # the last place may be new, and not filled yet: it is never below `at` then
        if below + 1 < size and time[heap[below + 1]] < time[heap[below]]:
            below += 1
        other = heap[below]
        if time[other] >= when:
            break
        heap[at] = other
        place[other] = at
        at = below
    heap[at] = event
    place[event] = at
    time[event] = when
    return size


@compiled_loop
def cancel(heap: Cells, place: Cells, time: Cells, size: int, event: int) -> int:
    """Take an event out of the heap; returns the number that remains."""
    at = place[event]
    if at < 0:
        return size
    place[event] = -1
    size -= 1
    last = heap[size]
    if last != event:
        place[last] = at
        heap[at] = last
        schedule(heap, place, time, size, last, time[last])
    return size


@compiled_loop
def meld(key: Cells, child: Cells, sibling: Cells, one: int, other: int) -> int:
    """Join two pairing heaps of units, each given by its root; returns the root of both.

    Parameters
    ----------
    key : (J,)
        By what the units are ordered.
    child, sibling : (J,), int
        First child and next sibling of each unit, -1 for none.
    one, other : int
        Roots without siblings.
    """
    if key[other] < key[one]:
        sibling[one] = child[other]
        child[other] = one
        return other
    sibling[other] = child[one]
    child[one] = other
    return one


@compiled_loop
def without_root(key: Cells, child: Cells, sibling: Cells, root: int) -> int:
    """The root of a pairing heap once its root is taken away, -1 where nothing remains."""
    following = child[root]
    child[root] = -1
    pairs = -1
    while following >= 0:
        one = following
        other = sibling[one]
        sibling[one] = -1
        if other >= 0:
            following = sibling[other]
            sibling[other] = -1
            one = meld(key, child, sibling, one, other)
        else:
            following = -1
        sibling[one] = pairs
        pairs = one
    if pairs < 0:
        return -1
    found = pairs
    following = sibling[found]
    sibling[found] = -1
    while following >= 0:
        one = following
        following = sibling[one]
        sibling[one] = -1
        found = meld(key, child, sibling, found, one)
    return found
