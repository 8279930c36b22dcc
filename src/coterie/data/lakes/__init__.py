"""Folders that are tables: Hive partitions, Delta, Iceberg."""
