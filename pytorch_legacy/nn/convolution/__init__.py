"""Learned filters over time and space."""
