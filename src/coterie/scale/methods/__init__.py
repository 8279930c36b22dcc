"""The methods over blocks of rows."""
