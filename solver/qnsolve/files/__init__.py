"""Files and text to models and back: TOML, JSON and JMVA."""
