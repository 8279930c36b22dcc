"""Moving pictures: frames drawn one by one, written as a GIF or as a page with a player."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from coterie._support.optional import require
from coterie.show.policy import content_policy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAST_SHOWN = 3  # times as long as the other frames
DPI = 90


def frame_of(figure: Figure) -> bytes:
    """Return a figure as a PNG picture.

    Examples
    --------
    >>> from coterie.show.plots.drawing.canvas import axes_for
    >>> frame_of(axes_for(None).figure)[1:4]
    b'PNG'
    """
    written = io.BytesIO()
    figure.savefig(written, format="png", dpi=DPI)
    return written.getvalue()


def as_gif(frames: Sequence[bytes], seconds: float) -> bytes:
    """Return a GIF that shows each frame so long, the last one longer, again and again."""
    pillow: Any = require("PIL.Image", extra="plot", purpose="Writing a GIF")
    pictures = [pillow.open(io.BytesIO(frame)).convert("RGB").quantize(128) for frame in frames]
    times = [round(1000 * seconds)] * (len(pictures) - 1) + [round(1000 * LAST_SHOWN * seconds)]
    written = io.BytesIO()
    pictures[0].save(
        written, format="GIF", save_all=True, append_images=pictures[1:], duration=times, loop=0, disposal=2
    )
    return written.getvalue()


def as_page(frames: Sequence[bytes], titles: Sequence[str], seconds: float) -> bytes:
    """Return an HTML page that holds the frames and a player, and can load and send nothing."""
    page = resources.files("coterie.show.plots").joinpath("player.html").read_text(encoding="utf-8")
    encoded = [base64.b64encode(frame).decode() for frame in frames]
    for place, value in (
        ("/*FRAMES*/[]", encoded),
        ("/*TITLES*/[]", list(titles)),
        ("/*MILLISECONDS*/800", round(1000 * seconds)),
    ):
        page = page.replace(place, json.dumps(value).replace("<", "\\u003c"))
    script = page.partition("<script>")[2].partition("</script>")[0]
    return page.replace("/*POLICY*/", content_policy([script]), 1).encode()
