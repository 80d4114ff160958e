"""Layers that only change how elements are arranged, or pass them on."""
