"""Pure numpy on arrays. A kernel knows no model and no names.

Shapes: K stations, R classes. `speeds[k]` is the relative speed of station k with
1, 2, ... jobs, the last one holding beyond; None for a delay station.
"""
