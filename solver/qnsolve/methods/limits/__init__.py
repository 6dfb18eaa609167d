"""Admission limits: MXT, TRANCLASS, dependent regions, threads."""
