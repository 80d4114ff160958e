"""Files: .t7 and what becomes of it.

- `t7`: bytes to plain objects, and back; knows nothing of nn.
- `form`, `fields`: how the objects of a class lie in a file, and what its fields are.
- `loading`, `saving`: from plain objects to modules, and back.
- `mending`, `misspelt`: what was changed on the way in, and what looks wrong on the way out.
- `writing`: files are written whole, or not at all.
"""
