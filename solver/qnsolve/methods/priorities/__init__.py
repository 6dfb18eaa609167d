"""Priorities, with and without preemption, in networks of any size."""
