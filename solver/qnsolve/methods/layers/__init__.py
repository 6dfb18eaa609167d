"""Queues whose servers run on the servers of other queues."""
