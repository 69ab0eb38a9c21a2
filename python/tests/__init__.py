"""Tests of the package as it lies in src; run `python3 -m unittest` beside pyproject.toml."""
