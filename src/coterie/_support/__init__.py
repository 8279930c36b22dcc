"""What every room shares: files, threads, progress, validation, typing."""
