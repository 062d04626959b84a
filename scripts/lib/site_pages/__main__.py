# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python3 -m site_pages CHECKOUT REFERENCE OUTPUT

Writes the input of the site generator to OUTPUT: its configuration, and a folder of pages with the documents of the
checkout, the examples, the API reference in REFERENCE, and tables and plots of measured results.
"""
import pathlib
import shutil
import sys

from report.runs import InputError, read_runs

from .links import Pages
from .names import read_names
from .sources import REFERENCE, listing, pages_of, pictures_of


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def results_page(about, folder):
    """Returns the text about some results, with their tables and plots, whose files are written to the folder."""
    from report.page import write_page  # needs pygal
    name = about.parent.name
    page = folder / f"{name}.html"
    write_page(page, read_runs(sorted(about.parent.glob("*.json.gz"))), None, with_plots=True)
    page.unlink()
    tables = page.with_suffix(".md").read_text(encoding="utf-8").partition("\n")[2]  # without the heading
    return about.read_text(encoding="utf-8") + tables.replace(f"{about.parent}/", "")


def text_of(checkout, file, folder):
    path = checkout / file
    if path.suffix != ".md":
        return listing(file, path.read_text(encoding="utf-8"))
    return results_page(path, folder) if path.name == "about.md" else path.read_text(encoding="utf-8")


def main():
    checkout, reference, output = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    shutil.rmtree(output, ignore_errors=True)
    folder = output / "pages"
    shutil.copytree(reference / "html", folder / "reference")
    pages = Pages(checkout, pages_of(checkout), REFERENCE, read_names(reference / "tessera.tag"))
    for file, page in pages.pages.items():
        path = folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, pages.page(file, text_of(checkout, file, path.parent)))
    for picture in pictures_of(checkout):
        shutil.copy(checkout / "docs" / picture, folder / picture)
    shutil.copy(checkout / "docs/site/site.css", folder)
    shutil.copy(checkout / "docs/site/mkdocs.yml", output)


if __name__ == "__main__":
    try:
        main()
    except (InputError, OSError, ValueError) as error:
        sys.exit(f"site_pages: {error}")
