"""Coterie finds the groups in data, shows whether they are real, and lets people see them."""
