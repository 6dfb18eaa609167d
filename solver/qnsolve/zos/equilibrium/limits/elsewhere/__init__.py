"""How users come to a limit who wait for others: in line there they are not elsewhere."""
