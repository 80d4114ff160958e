"""Layers that disturb training so that the network learns to do without any single unit."""
