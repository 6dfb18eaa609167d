"""What is wrong with measured intervals: laws that they break, clocks, units, stuck series, shifts; nothing is repaired."""
