"""The steps of a fit: what laws say of figures one by one, then what the model itself says of the rest."""
