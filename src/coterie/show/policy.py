"""The Content-Security-Policy of every page: its own scripts run, nothing is fetched or sent."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

# named one by one although default-src covers most: a directive added for one page must not open the others
_CLOSED = (
    "default-src", "connect-src", "frame-src", "child-src", "worker-src", "object-src", "media-src",
    "manifest-src", "form-action", "base-uri",
)  # fmt: skip


def content_policy(scripts: Sequence[str], *, allows_eval: bool = False) -> str:
    """Return a policy that runs these scripts alone and forbids every connection.

    `scripts` are exactly as they stand in the page; plotly's WebGL compiles text: `allows_eval`.

    Returns
    -------
    str

    Examples
    --------
    >>> policy = content_policy(["1"])
    >>> policy.startswith("default-src 'none'; connect-src 'none'; ")
    True
    >>> "unsafe-eval" in policy
    False
    """
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    allowed = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
    if allows_eval:
        allowed.append("'unsafe-eval'")
    closed = [f"{name} 'none'" for name in _CLOSED]
    opened = [
        f"script-src {' '.join(allowed)}",
        "style-src 'unsafe-inline'",
        "img-src data: blob:",
        "font-src data:",
    ]
    return "; ".join(closed + opened)
