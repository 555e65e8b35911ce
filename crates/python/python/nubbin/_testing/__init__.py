"""The reduction of tests, for `pytest --nubbin` and `nubbin.shrink`."""
