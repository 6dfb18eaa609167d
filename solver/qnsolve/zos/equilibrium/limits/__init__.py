"""Limits: MXT, TRANCLASS and dependent regions, who waits before them, and how each is treated."""
