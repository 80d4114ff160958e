"""Layers that bring values to a common mean and scale."""
