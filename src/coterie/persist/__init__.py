"""Saving and loading: safetensors with JSON metadata. Loading a file can never run code."""

from coterie.persist.files import load, save

__all__ = ["load", "save"]
