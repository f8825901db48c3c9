"""Measurements of aborist from the outside: through its command line and its public names."""
