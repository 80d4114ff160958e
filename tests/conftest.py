"""Settings of the whole suite."""
