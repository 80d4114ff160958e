"""Functions of packages that reach what lies outside of the program: files, processes and the environment."""

from __future__ import annotations

OUTSIDE: dict[str, tuple[str, ...]] = {
    "display": ("image", "images", "plot"),
    "gnuplot": ("bar", "epsfigure", "figprint", "hist", "imagesc", "pdffigure", "plot", "plotflush", "pngfigure", "svgfigure"),
    "hdf5": ("open",),
    "image": ("display", "getJPGsize", "getPNGsize", "getSize", "load", "loadJPG", "loadPNG", "loadPPM", "save", "saveJPG",
              "savePGM", "savePNG", "savePPM"),
    "lfs": ("attributes", "chdir", "currentdir", "dir", "link", "mkdir", "rmdir", "symlinkattributes", "touch"),
    "paths": ("concat", "cwd", "dir", "dirp", "dofile", "filep", "files", "findprogram", "iterdirs", "iterfiles", "mkdir",
              "rmall", "rmdir", "symlinkp", "thisfile", "tmpname", "uname"),
    "pl.dir": ("copyfile", "dirtree", "getallfiles", "getdirectories", "getfiles", "makepath", "movefile", "rmtree", "walk"),
    "pl.file": ("access_time", "copy", "delete", "modified_time", "move", "read", "readlines", "write"),
    "pl.path": ("abspath", "chdir", "currentdir", "exists", "expanduser", "getatime", "getmtime", "getsize", "isdir", "isfile",
                "islink", "mkdir", "relpath", "rmdir", "tmpname"),
    "pl.pretty": ("dump",),
    "pl.utils": ("execute", "readfile", "readlines", "writefile"),
    "sys": ("concat", "dirp", "execute", "fexecute", "filep", "fpath", "la", "ll", "lla", "ls"),
    "xlua": ("envparams", "installed"),
}  # fmt: skip
"""The names of such functions, by their packages."""
