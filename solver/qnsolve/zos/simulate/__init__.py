"""The event simulation of a system, and the solution beside it."""
