"""Containers whose result is one array: chains and joined branches."""
