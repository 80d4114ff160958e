"""Files: .t7 and what becomes of it.

- `t7`: bytes to plain objects, and back; knows nothing of nn.
- `form`, `fields`: how the objects of a class lie in a file, and what its fields are.
- `classes`: which class stands for which name. `loading`, `saving`: from plain objects to modules, and back.
- `stored`: the engine by which an object takes and gives its fields; `lua`: functions of Lua in the place of methods.
- `migration`, `misspelt`: what was changed on the way in, and what looks wrong on the way out.
- `writing`: files are written whole, or not at all.
"""
