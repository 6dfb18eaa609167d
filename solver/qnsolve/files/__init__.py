"""Files: read and write."""
