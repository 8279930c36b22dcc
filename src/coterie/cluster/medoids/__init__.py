"""K-medoids."""
