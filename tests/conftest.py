"""Settings that all tests share."""

from hypothesis import settings

# the same examples in every run, and no clock: a busy machine is no failure
settings.register_profile("coterie", deadline=None, derandomize=True)
settings.load_profile("coterie")
