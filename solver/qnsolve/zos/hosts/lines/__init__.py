"""The lines at the TCBs of a host beside each other and beside free pieces."""
