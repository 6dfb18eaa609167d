"""The processors of an LPAR: TCBs and other servers on its CPs, each a queue among all the others."""
