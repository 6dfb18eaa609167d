"""Tasks of lower importance in the rounds of hosts."""
