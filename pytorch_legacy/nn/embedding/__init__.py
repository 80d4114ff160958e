"""Tables looked up by index, and affine maps of sparse vectors."""
