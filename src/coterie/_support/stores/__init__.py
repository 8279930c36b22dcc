"""Where files are: this machine's disk, web servers, object stores. Credentials come from the environment."""

from coterie._support.lazy import lazy_package

__getattr__, __dir__, __all__ = lazy_package(__name__)
