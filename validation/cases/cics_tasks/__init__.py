"""Tasks of CICS: TCBs, threads, limits."""
