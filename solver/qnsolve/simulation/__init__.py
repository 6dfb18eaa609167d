"""Event simulation of networks, and the same by Ciw."""
