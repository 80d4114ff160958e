"""Borders around planes."""
