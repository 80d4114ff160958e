"""Losses: a number for an input and a target, and the gradient of the input."""
