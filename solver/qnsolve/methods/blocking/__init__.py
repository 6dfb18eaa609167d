"""Queues of limited capacity that block the servers before them."""
