"""Side-by-side measurements of Coterie and its peers: ``python -m benchmarks``."""
