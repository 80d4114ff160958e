"""Layers that take or return tables: lists of arrays, or of tables of arrays."""
