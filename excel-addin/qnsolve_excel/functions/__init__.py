"""The worksheet functions, a module a group; `words` holds the arguments they share."""
