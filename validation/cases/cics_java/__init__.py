"""Java in CICS."""
