"""Discrete-event simulation of networks, own and by Ciw."""
