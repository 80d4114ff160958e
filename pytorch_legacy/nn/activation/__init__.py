"""Nonlinearities: element by element, or along the channels."""
