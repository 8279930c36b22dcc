"""The judge: how clearly groups are separated, against null data."""
