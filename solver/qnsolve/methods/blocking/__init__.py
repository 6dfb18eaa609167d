"""Blocking after service at queues of limited capacity."""
