"""Files as they are: where they lie, what kind they are, and a reader for each kind."""
