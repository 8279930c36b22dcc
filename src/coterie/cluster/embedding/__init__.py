"""Groups of embeddings: rows of many columns, compared by direction."""
