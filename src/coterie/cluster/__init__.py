"""Methods that find groups: one file per method, one entry in the catalogue."""

from coterie._support.caller import warn_caller
from coterie._support.lazy import lazy_package
from coterie.cluster.catalogue import Method, methods

__getattr__, __dir__, __all__ = lazy_package(__name__)


def catalogue() -> tuple[Method, ...]:
    """Return every method. Deprecated: use `methods`."""
    warn_caller("coterie.cluster.catalogue is deprecated: use methods().", DeprecationWarning)
    return methods()
