"""Sphinx's configuration. ``python -m docs`` gathers the pages and runs it."""

from pytorch_legacy import __version__

project = "pytorch_legacy"
version = release = __version__
copyright = "the pytorch_legacy authors"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "docs.site.docstrings",
    "docs.site.html",
    "docs.site.instruments",
    "docs.site.mathml",
    "docs.site.prompts",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
suppress_warnings: list[str] = []
show_warning_types = True

# Each heading has an anchor as on GitHub, and a link to one that is not there is a warning.
myst_heading_anchors = 6
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_dmath_allow_digits = False  # "$5 and $6" are prices

linkcheck_timeout = 15

html_math_renderer = "mathml"
default_role = "py:obj"
add_module_names = False
autodoc_typehints = "none"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "furo"
html_title = "pytorch_legacy"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
highlight_language = "text"
pygments_style = "default"
pygments_dark_style = "monokai"
html_theme_options: dict[str, list[str]] = {"top_of_page_buttons": []}
