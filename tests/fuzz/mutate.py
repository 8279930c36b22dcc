"""Damage to bytes and text: flips, cuts, copies, numbers at their limits."""

from __future__ import annotations

from tests.fuzz.case import Draw

LIMITS = (b"\x00", b"\xff", b"\x7f", b"\x80", b"\xff\xff\xff\xff", b"\x00\x00\x00\x80", b"\xff" * 7 + b"\x7f")
SIGNS = "()[]'\"{}:;,.\\/-+eE0159 \t\n\r\x00\x1b\ufeff\u202eé=<>#|NnaifAN_"


def mutated_bytes(draw: Draw, content: bytes) -> bytes:
    """Return the content with one to a few wounds."""
    damaged = bytearray(content)
    for _ in range(draw.choice([1, 1, 1, 2, 4, 12])):
        if not damaged:
            break
        at = draw.whole(0, len(damaged) - 1)
        how = draw.choice(["flip", "flip", "flip", "byte", "limit", "cut", "drop", "copy", "grow"])
        if how == "flip":
            damaged[at] ^= 1 << draw.whole(0, 7)
        elif how == "byte":
            damaged[at] = draw.whole(0, 255)
        elif how == "limit":
            wound = draw.choice(LIMITS)
            damaged[at : at + len(wound)] = wound
        elif how == "cut":
            del damaged[at:]
        elif how == "drop":
            del damaged[at : at + draw.whole(1, 16)]
        elif how == "copy":
            damaged[at:at] = damaged[at : at + draw.whole(1, 64)]
        else:
            damaged += bytes(draw.whole(1, 64))
    return bytes(damaged)


def mutated_text(draw: Draw, text: str) -> str:
    """Return the text with one to a few signs put in, left out, exchanged or repeated."""
    for _ in range(draw.choice([1, 1, 2, 3, 8])):
        at = draw.whole(0, len(text))
        how = draw.choice(["insert", "drop", "exchange", "repeat", "cut", "many"])
        sign = draw.choice(SIGNS)
        if how == "insert":
            text = text[:at] + sign + text[at:]
        elif how == "drop":
            text = text[:at] + text[at + draw.whole(1, 4) :]
        elif how == "exchange":
            text = text[:at] + sign + text[at + 1 :]
        elif how == "repeat":
            text = text[:at] + text[max(0, at - draw.whole(1, 20)) : at] + text[at:]
        elif how == "cut":
            text = text[:at]
        else:
            text = text[:at] + sign * draw.choice([3, 50, 3000]) + text[at:]
    return text
