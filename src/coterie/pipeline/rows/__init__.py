"""Rows that groups are looked for in: what every backend can do, and the one that holds them in memory."""
