"""Settings that all tests share."""

from hypothesis import settings

# A slow machine is no finding: what takes long is measured in benchmarks.
settings.register_profile("kassay", deadline=None)
settings.load_profile("kassay")
