"""Latitude and longitude: columns that are positions, and where groups of them are."""
