"""Commands that take files of measured intervals."""
