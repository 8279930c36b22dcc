"""Communities of graphs: Leiden, from rows, matrices, edge lists, and graphs of networkx and igraph."""
