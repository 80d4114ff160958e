"""Arithmetic: learned and constant terms and factors, sums and extrema, products of matrices."""
