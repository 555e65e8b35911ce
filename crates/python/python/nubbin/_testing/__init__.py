"""The reduction of tests: what `pytest --nubbin` and `nubbin.shrink` do."""
