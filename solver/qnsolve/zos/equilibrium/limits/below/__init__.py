"""Limits above others: full TORs over AORs and TRANCLASSes that fill."""
