"""Layers that make one cell of many."""
