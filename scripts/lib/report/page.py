# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page, in HTML with plots and in Markdown without."""
import dataclasses
import html
import os
import re

from . import charts, compare, curves, tables

STYLE = """
body { font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 1600px; padding: 0 1em; color: #222; }
table { border-collapse: collapse; font-size: 13px; margin: 0.7em 0; }
th, td { border-bottom: 1px solid #ddd; padding: 2px 8px; text-align: right; white-space: nowrap; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
th { background: #f3f3f3; position: sticky; top: 0; }
.wide { overflow-x: auto; } .slower { background: #fdd; } .faster { background: #dfd; }
.charts { display: flex; flex-wrap: wrap; gap: 8px; }
"""


@dataclasses.dataclass
class Section:
    title: str
    text: str = ""
    table: list = dataclasses.field(default_factory=list)
    plots: list = dataclasses.field(default_factory=list)
    folded: bool = False  # whether the table is folded until the reader opens it


def sections_of(run, old):
    result = []
    if old:
        result += comparison(run, old)
    result.append(Section("Context", table=tables.context_table(run.contexts)))
    if run.failures:
        result.append(Section("Failed", table=[["benchmark", "message"]] + [list(f) for f in run.failures]))
    add = result.append
    add(Section("Time by columns", "Medians of repetitions.", plots=charts.time_charts(run.records)))
    add(Section("Ratio to the baseline", "How many times as fast as the baseline of the same run (Kokkos Kernels, "
                "Tpetra's own matrix, cuSPARSE at its best): geometric means over matrices.",
                tables.ratio_table(run.records), charts.ratio_charts(run.records), True))
    add(Section("Set-up and n products", "How many times as fast Tessera is as the fastest peer for that n, from "
                "a new matrix on, with default options and with plans that share A: geometric means over matrices, "
                "the least in brackets. [k]: "
                "for k matrices a time was not measured, and the latest products were taken to go on, as in plots of "
                "means. Plots of a matrix end where its measurements end.",
                curves.summary_table(run.curves), charts.curve_charts(run.curves)))
    add(Section("Set-up and n products by matrix", "Ratios to the fastest peer. *: not measured, as above.",
                curves.ratio_table(run.curves), folded=True))
    add(Section("Set-up in products", "As many products take as long as what is done once, with the most columns that "
                "were measured.", plots=charts.set_up_charts(run.records)))
    add(Section("Predicted against measured", "R^2 of the logarithms: 1 where times are in the predicted ratios.",
                tables.prediction_table(run.records), charts.prediction_chart(run.records)))
    add(Section("Memory", "Pattern and values of a format over those of compressed rows.",
                plots=charts.memory_charts(run.records)))
    result = [section for section in result if len(section.table) > 1 or section.plots]
    for kind in tables.in_order(record.kind for record in run.records):
        of_kind = [record for record in run.records if record.kind == kind]
        result.append(Section(f"All results: {kind}", table=tables.results_table(of_kind), folded=True))
    if run.curves:
        result.append(Section("All results: pay_off", "Milliseconds of set-up and n products: medians, least and most.",
                              curves.times_table(run.curves), folded=True))
    return result


def comparison(run, old):
    changes = compare.changes(old, run)
    text = ("old/new above 1: the new run is faster. Slower and faster are those of which all repetitions of one run "
            "took longer than all of the other.")
    alone = len(run.compared()) + len(old.compared()) - 2 * len(changes)
    if alone:
        text += f" {alone} benchmarks are in one run alone."
    single = sum(change.old.least == change.old.most or change.new.least == change.new.most for change in changes)
    if single:
        text += f" Compared without a spread, since one side ran once: {single}."
    differing = tables.differing_contexts(old, run)
    if differing:
        text += f" The runs differ in more than the code: {', '.join(differing)}."
    return [Section("Compared with the old run", text, compare.summary_table(changes)),
            Section("Each benchmark compared", table=compare.changes_table(changes)),
            Section("Context of the old run", table=tables.context_table(old.contexts), folded=True)]


def html_table(rows):
    def cells(tag, row):
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)

    lines = [f"<tr>{cells('th', rows[0])}</tr>"]
    for row in rows[1:]:
        mark = f' class="{row[0]}"' if row[0] in ("slower", "faster") else ""
        lines.append(f"<tr{mark}>{cells('td', row)}</tr>")
    return '<div class="wide"><table>\n' + "\n".join(lines) + "\n</table></div>"


def html_page(sections):
    parts = [f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Tessera benchmarks</title>'
             f"<style>{STYLE}</style></head><body>\n<h1>Tessera benchmarks</h1>"]
    for section in sections:
        parts.append(f"<h2>{html.escape(section.title)}</h2>")
        if section.text:
            parts.append(f"<p>{html.escape(section.text)}</p>")
        if section.plots:
            parts.append('<div class="charts">' + "\n".join(f"<div>{plot}</div>" for plot in section.plots) + "</div>")
        if len(section.table) > 1:
            table = html_table(section.table)
            parts.append(f"<details><summary>Table</summary>{table}</details>" if section.folded else table)
    return "\n".join(parts) + "\n</body></html>\n"


def markdown_page(sections, plot_names):
    """Returns the page in Markdown. It shows the plots of these files, or without any, omits sections of plots."""
    def line(row):
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"

    names = iter(plot_names)
    parts = ["# Tessera benchmarks"]
    for section in sections:
        plots = section.plots if plot_names else []
        if len(section.table) < 2 and not plots:
            continue
        parts.append(f"## {section.title}")
        if section.text:
            parts.append(section.text)
        parts += [f"![{title_of(plot)}]({next(names)})" for plot in plots]
        if len(section.table) > 1:
            head, *rows = section.table
            table = "\n".join([line(head), line(["---"] * len(head))] + [line(row) for row in rows])
            if section.folded and plot_names:
                table = f'<details markdown="1"><summary>Table</summary>\n\n{table}\n\n</details>'
            parts.append(table)
    return "\n\n".join(parts) + "\n"


def title_of(plot):
    """Returns the title of a plot, which may have several lines."""
    lines = re.findall(r'class="title plot_title"[^>]*>([^<]*)<', plot)
    return html.unescape(" ".join(lines)).replace("[", "(").replace("]", ")")


def write_page(path, run, old, with_plots):
    """Writes the page at `path` and its tables next to it as .md, each whole or not at all. With plots, also writes
    files of them, which the .md shows."""
    sections = sections_of(run, old)
    plots = [plot for section in sections for plot in section.plots] if with_plots else []
    files = {path.with_name(f"{path.stem}-{number}.svg"): plot for number, plot in enumerate(plots, 1)}
    tables = markdown_page(sections, [file.name for file in files])
    texts = {path: html_page(sections), path.with_suffix(".md"): tables, **files}
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = {target: target.with_name(target.name + ".part") for target in texts}
    try:
        for target, text in texts.items():
            parts[target].write_text(text, encoding="utf-8")
        for target, part in parts.items():
            os.replace(part, target)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
