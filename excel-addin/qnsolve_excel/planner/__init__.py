"""The planner's page: a system drawn, its figures changed, its study at once; served by this machine to itself."""
