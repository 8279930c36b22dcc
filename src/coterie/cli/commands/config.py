"""``coterie config``: what is installed and how it runs here."""

from __future__ import annotations

from coterie.cli import options


def config(as_json: options.AsJson = False) -> None:
    """Show versions, instruction set and threads."""
    from coterie._support.config import configuration, show_config
    from coterie.cli.render.machines import print_json

    if as_json:
        print_json(configuration())
    else:
        show_config()
