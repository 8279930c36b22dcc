"""How passes over blocks run: graphs of tasks, caches, checkpoints, failing chunks."""
