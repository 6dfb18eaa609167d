"""From an operating point to the figures of RMF and CICS reports, with reasons."""
