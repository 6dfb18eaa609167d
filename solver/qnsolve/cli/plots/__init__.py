"""Pictures of answers, --plot: what a planner pastes into a page."""
