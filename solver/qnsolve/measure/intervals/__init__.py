"""The table of measured intervals: what each series is, where it stood, its values."""
