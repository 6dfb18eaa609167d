"""The study: until when a system holds its growing work, why it ends, and what would help."""
