"""Long runs: many points one by one, on any executor, with a journal to resume from."""
