"""``coterie config``: what is installed and how it runs here."""

from __future__ import annotations

import json

from coterie.cli import options


def config(as_json: options.AsJson = False) -> None:
    """Show versions, instruction set and threads."""
    from coterie._config import configuration, show_config

    if as_json:
        print(json.dumps(configuration(), indent=2))
    else:
        show_config()
