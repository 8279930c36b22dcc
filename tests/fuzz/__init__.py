"""Random hostile cases, each from its part and its seed alone, each in a child process."""
