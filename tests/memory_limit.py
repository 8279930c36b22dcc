"""A limit of memory for processes that are given hostile input."""

import os

try:
    import resource
except ImportError:  # not on this system
    resource = None


def limit_memory(most_bytes):
    """Refuse this process more memory, unless AddressSanitizer watches: it maps terabytes for itself."""
    if resource is not None and "libasan" not in os.environ.get("LD_PRELOAD", ""):
        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
