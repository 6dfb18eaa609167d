"""Reports of RMF: tables that describe themselves in XML, the printed form, and what their fields are in a model."""
