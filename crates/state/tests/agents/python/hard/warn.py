import warnings
warnings.warn("w")
print(1 is 1)
assert 0, "ass"
