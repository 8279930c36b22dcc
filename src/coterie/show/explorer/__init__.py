"""The explorer: a page in the browser, served from this machine to this machine, to correct groups."""
