"""A limit of memory for processes that are given hostile input."""

import os

from coterie._support.validation import memory

try:
    import resource
except ImportError:  # not on this system
    resource = None


def limit_memory(most_bytes):
    """Refuse this process more memory, or tell the package so: AddressSanitizer maps terabytes for itself."""
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        memory._address_space = lambda: most_bytes
    elif resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
