"""Builds the site: ``python -m docs`` writes build/site. See ``python -m docs --help``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def build(out: Path, jobs: int, external: bool = False) -> list[str]:
    """Writes the site into `out`, and what it is made of into `out`/.work; gives what is wrong with it."""
    from docs.site import check, gather, instruments, layers
    from docs.site.folder import Folder

    pages = Folder(out / ".work" / "pages")
    say("gathering the pages")
    gathering = gather.Gathering(pages, layers.places())
    gathering.all()
    say("running each layer, and writing its page")
    layers.write(pages, gathering, jobs)
    pages.clean()
    say("compiling the layers that run in pages")
    script, found = instruments.build(jobs)
    say("building the site")
    found += run("html", out, out, jobs, {"instruments_run": script is not None})
    if script:
        instruments.place(script, out)
    say("following the links")
    found += check.broken(out)
    if external:
        say("following the links to other sites")
        found += run("linkcheck", out, out / ".work" / "linkcheck", jobs, {})
    return found


def run(builder: str, out: Path, target: Path, jobs: int, settings: dict[str, Any]) -> list[str]:
    """Lets Sphinx build, and says whether it warned, or found a link broken."""
    from sphinx.application import Sphinx
    from sphinx.util import console

    if not sys.stdout.isatty():
        console.nocolor()
    work = out / ".work"
    folders = (work / "pages", ROOT / "docs" / "site", target, work / "trees")
    app = Sphinx(*folders, builder, confoverrides=settings, parallel=jobs, warningiserror=True)
    app.build()
    for page in target.rglob("*.html"):  # removes pages that no longer exist
        name = page.relative_to(target).with_suffix("").as_posix()
        if builder == "html" and name not in app.env.found_docs and name not in ("genindex", "search", "py-modindex"):
            page.unlink()
    return [f"{builder}: what is wrong stands above"] if app.statuscode else []


def say(what: str) -> None:
    print(f"[{time.perf_counter() - STARTED:5.1f} s] {what}", flush=True)


STARTED = time.perf_counter()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m docs", description="Builds the site. Warnings and broken links are errors.")
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "build" / "site", help="folder to write to (build/site)")
    parser.add_argument("--external", action="store_true", help="also follow links to other sites")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 4), help="processes (%(default)s)")
    arguments = parser.parse_args()
    try:
        for needed in ("sphinx", "myst_parser", "numpydoc", "furo", "latex2mathml"):
            import_module(needed)
    except ModuleNotFoundError as error:
        print(f'python -m docs needs {error.name}, which is not installed; run: pip install -e ".[docs]"', file=sys.stderr)
        return 2
    found = build(arguments.out.resolve(), arguments.jobs, arguments.external)
    print("\n".join(found), file=sys.stderr)
    say(f"{arguments.out / 'index.html'} is ready" if not found else f"{len(found)} things are wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
