"""Layered queues: servers that run on the servers of other queues."""
