"""The load of each work month by month."""
