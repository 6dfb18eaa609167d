"""What the tests share: models, calls of worksheet functions, and stand-ins for the programs they run in."""
