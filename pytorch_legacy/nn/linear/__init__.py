"""Affine maps."""
