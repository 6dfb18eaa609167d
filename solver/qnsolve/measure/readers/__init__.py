"""Readers of measurements: CSV, JSON, RMF reports in XML and as printed, into one table of intervals."""
