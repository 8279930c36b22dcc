"""One file per family of problems; each has a tuple ``ROWS`` (see ``benchmarks/README.md``)."""
