"""How the site is built: ``make docs``."""

import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "tools"))

import command_page  # noqa: E402
import docstrings  # noqa: E402
import reference_pages  # noqa: E402

import orbitdl  # noqa: E402

reference_pages.write(HERE / "reference" / "modules")
command_page.write(HERE / "reference" / "commands.md")

project = "orbitdl"
author = "The orbitdl developers"
copyright = author
version = release = orbitdl.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
]
exclude_patterns = ["gallery", "templates", "tools"]
templates_path = ["templates"]
default_role = "py:obj"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say it, with shapes
autosummary_generate = True
numpydoc_show_class_members = False
copybutton_exclude = ".linenos, .gp, .go"  # neither prompts nor output are copied

html_theme = "furo"
html_title = "orbitdl"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # excerpts would be fetched, which pages opened as files may not

smartquotes_action = "qe"  # two hyphens are two hyphens

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "gallery_pages",
    "filename_pattern": r"\.py$",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "remove_config_comments": True,
    "reference_url": {"orbitdl": None},
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": ("_repr_html_",),
}

MATHJAX = Path(find_spec("sphinx-mathjax-offline").submodule_search_locations[0], "static/mathjax")
"""MathJax as a package, so that formulas need no network; a tenth of it is all that is used."""
mathjax_path = "mathjax/tex-chtml.js"


def copy_mathjax(app, failure):
    """Put what sets formulas beside the pages."""
    if failure is None and app.builder.format == "html":
        place = Path(app.outdir) / "_static" / "mathjax"
        fonts = "output/chtml/fonts/woff-v2"
        shutil.copytree(MATHJAX / fonts, place / fonts, dirs_exist_ok=True)
        shutil.copy(MATHJAX / "tex-chtml.js", place)


def end_code_at_its_end(app, page, source):
    """Leave out the empty line that ends an example for those who run it."""
    source[0] = re.sub(r"\n\n( *```)$", r"\n\1", source[0], flags=re.MULTILINE)


def setup(app):
    """Tell Sphinx of the steps above."""
    app.connect("autodoc-process-docstring", docstrings.show_equations, priority=100)
    app.connect("autodoc-process-docstring", docstrings.describe_constants, priority=100)
    app.connect("autodoc-skip-member", docstrings.skip_others)
    app.connect("source-read", end_code_at_its_end)
    app.connect("build-finished", copy_mathjax)
