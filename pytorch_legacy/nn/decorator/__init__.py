"""Modules around one other module."""
