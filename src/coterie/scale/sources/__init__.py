"""From files, folders, datasets and Dask collections to blocks of rows."""
