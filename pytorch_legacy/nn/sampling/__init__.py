"""Planes with more cells, or fewer, or looked at elsewhere."""
