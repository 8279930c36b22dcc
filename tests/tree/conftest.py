"""SciPy's test modules carry marks of their own, which are unknown here."""


def pytest_configure(config):
    for mark in ("skip_xp_backends", "xfail_xp_backends", "uses_xp_capabilities"):
        config.addinivalue_line("markers", f"{mark}: of SciPy's own tests")
