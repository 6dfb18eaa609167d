"""The command line: one file a command, or a family of commands."""
