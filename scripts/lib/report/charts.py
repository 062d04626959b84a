# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of results, as SVG inside a page."""
import math
import re
import statistics

from .curves import OURS, groups_of, mean_lines, of_columns, peers_of, plans_of, ratio_lines
from .runs import InputError
from .tables import determination, geometric_mean, in_order, number, predictions, ratio_groups, way_of

try:
    import pygal
    from pygal.style import Style
except ImportError as missing:
    raise InputError(f"{missing}; install Debian's python3-pygal, or: pip install pygal") from missing

MOST_SERIES = 14
MOST_TIME_CHARTS = 60
MOST_CURVE_CHARTS = 24
COLORS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf",
          "#393b79", "#637939", "#8c6d31", "#843c39")


def new_chart(chart_type, title, **options):
    style = Style(background="white", plot_background="white", font_family="sans-serif", title_font_size=14,
                  label_font_size=11, major_label_font_size=11, legend_font_size=11, colors=COLORS,
                  guide_stroke_color="#ddd", major_guide_stroke_color="#ddd", guide_stroke_dasharray="1,0",
                  major_guide_stroke_dasharray="1,0")
    return chart_type(title=title, style=style, js=(), disable_xml_declaration=True, explicit_size=True, width=760,
                      height=420, legend_box_size=10, truncate_legend=-1, truncate_label=-1,
                      formatter=lambda value: number(value) if isinstance(value, (int, float)) else "", **options)


def ticks(values):
    """Returns 1, 2, 5, 10, ... from below the least value to above the greatest; over many decades, powers of ten."""
    low, high = math.log10(min(values)), math.log10(max(values))
    steps = (1, 2, 5) if high - low < 2.5 else (1,)
    powers = range(math.floor(low) - 1, math.ceil(high) + 2)
    marks = [step * 10.0 ** power for power in powers for step in steps]
    first = max(i for i, mark in enumerate(marks) if mark < min(values))
    last = min(i for i, mark in enumerate(marks) if mark > max(values))
    return marks[first:last + 1]


def set_log_axis(chart, values):
    chart.logarithmic = True
    chart.y_labels = ticks(values)
    chart.range, chart.zero = (chart.y_labels[0], chart.y_labels[-1]), chart.y_labels[0]


def svg(chart):
    """Returns the chart's text, without the script for tooltips."""
    return re.sub(r"<script.*?</script>|<!--.*?-->", "", chart.render(is_unicode=True), flags=re.DOTALL)


def series_and_facet(record):
    """Returns the first key, which distinguishes lines of a chart, and the others, which distinguish charts."""
    values = [value for key, value in record.keys.items() if key != "columns"]
    return (values[0] if values else "time"), ", ".join(values[1:])


def time_charts(records):
    """Plots time by number of columns: a chart per benchmark, matrix and facet; of many charts only the first, of many
    lines only the fastest."""
    charts = []
    facets = in_order((record.kind, record.matrix, series_and_facet(record)[1]) for record in records
                      if record.columns is not None)
    for kind, matrix, facet in facets[:MOST_TIME_CHARTS]:
        here = [record for record in records if (record.kind, record.matrix) == (kind, matrix)
                and series_and_facet(record)[1] == facet and record.columns is not None and record.median > 0]
        columns = sorted({record.columns for record in here})
        if len(columns) < 2:
            continue
        lines = {}
        for record in here:
            lines.setdefault(series_and_facet(record)[0], {})[record.columns] = record.median
        fastest = sorted(lines, key=lambda name: (-len(lines[name]), geometric_mean(lines[name].values())))
        baselines = {}
        for record in here:
            if "ratio" in record.values:  # a ratio of times; other quantities of drivers have no baseline
                baselines.setdefault(record.columns, []).append(record.values.get("baseline_ms", 0))
        title = f"{kind}, {matrix}" + (f", {facet}" if facet else "") + ": ms by columns"
        chart = new_chart(pygal.Line, title, x_title="columns of X")
        chart.x_labels = [str(c) for c in columns]
        shown = [name for name in lines if name in fastest[:MOST_SERIES - 1]]
        for name in shown:
            chart.add(name, [lines[name].get(c) for c in columns])
        baseline = [statistics.median(baselines[c]) if max(baselines.get(c, [0])) > 0 else None for c in columns]
        if any(baseline):
            chart.add("baseline", baseline, stroke_style={"dasharray": "6, 4"})
        set_log_axis(chart, [time for name in shown for time in lines[name].values()] + list(filter(None, baseline)))
        charts.append(svg(chart))
    return charts


def ratio_charts(records):
    """Plots geometric means over matrices of the ratio to the baseline, by columns: one chart per kind of benchmark."""
    groups = ratio_groups(records)
    charts = []
    for kind in in_order(kind for kind, _, _ in groups):
        columns = sorted({c for k, _, c in groups if k == kind and c is not None})
        ways = in_order(way for k, way, _ in groups if k == kind)
        means = {way: [geometric_mean(groups[(kind, way, c)]) if (kind, way, c) in groups else None for c in columns]
                 for way in ways}
        best = sorted(ways, key=lambda way: -max((mean for mean in means[way] if mean), default=0))[:MOST_SERIES]
        chart = new_chart(pygal.Bar, f"{kind}: how many times as fast as the baseline, geometric mean of matrices",
                          x_title="columns of X")
        chart.x_labels = [str(c) for c in columns]
        for way in [way for way in ways if way in best]:
            chart.add(way or kind, means[way])
        if columns:
            charts.append(svg(chart))
    return charts


def bar_chart(title, records, value_of, is_logarithmic=False):
    """Plots bars of a value, grouped by matrix, one per way, for the greatest number of columns."""
    values = {}
    for record in sorted(records, key=lambda record: record.columns or 0):
        if value_of(record) is not None and value_of(record) > 0:
            values.setdefault(way_of(record) or record.kind, {})[record.matrix] = value_of(record)
    matrices = in_order(matrix for by_matrix in values.values() for matrix in by_matrix)
    if not matrices:
        return []
    chart = new_chart(pygal.Bar, title)
    if is_logarithmic:
        set_log_axis(chart, [value for by_matrix in values.values() for value in by_matrix.values()])
    chart.x_labels = matrices
    for way in list(values)[:MOST_SERIES]:
        chart.add(way, [values[way].get(matrix) for matrix in matrices])
    return [svg(chart)]


def set_up_charts(records):
    charts = []
    for kind in in_order(record.kind for record in records):
        charts += bar_chart(f"{kind}: set-up in products", [record for record in records if record.kind == kind],
                            lambda record: record.values.get("products"), is_logarithmic=True)
    return charts


def memory_charts(records):
    formats = [record for record in records if record.keys.get("format", "auto") not in ("auto", "automatic")]
    smallest = {}
    for record in formats:
        if "bytes/CSR" in record.values:
            smallest.setdefault((record.keys["format"], record.matrix), record)
    chosen = [type(record)(record.kind, record.matrix, {"format": record.keys["format"]}, record.median, record.least,
                           record.most, record.values) for record in smallest.values()]
    return bar_chart("size of formats over that of CSR", chosen, lambda record: record.values["bytes/CSR"])


def decades(values):
    """Returns the powers of ten from the greatest that is no greater than all values to the least that is no less."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [10.0 ** power for power in range(low, high + 1)]


def log_log_chart(title, lines, x_title, y_title, x_ticks=ticks, stroke=True):
    """Plots {name: [(x, y)]} on logarithmic axes, as lines or points."""
    chart = new_chart(pygal.XY, title, stroke=stroke, dots_size=2 if stroke else 3, x_title=x_title, y_title=y_title,
                      x_value_formatter=lambda value: number(10 ** value),
                      value_formatter=lambda value: number(10 ** value))
    points = [point for line in lines.values() for point in line]
    chart.x_labels = [math.log10(tick) for tick in x_ticks([x for x, _ in points])]
    chart.y_labels = [math.log10(tick) for tick in ticks([y for _, y in points])]
    chart.xrange, chart.range = (chart.x_labels[0], chart.x_labels[-1]), (chart.y_labels[0], chart.y_labels[-1])
    for name, line in lines.items():
        chart.add(name, [(math.log10(x), math.log10(y)) for x, y in line])
    return svg(chart)


def curve_charts(problems):
    """Plots ratios by number of products, a chart per type and layout; then cumulative times, a chart per group of
    matrices, and per problem if there are several. Of many problems only the first."""
    peers = peers_of(problems)
    charts = []
    for scalar, layout in in_order((problem.scalar, problem.layout) for problem in problems):
        for plan in plans_of(problems):
            lines = ratio_lines(problems, scalar, layout, plan)
            if lines:
                title = f"pay_off, {scalar}, {layout}: how many times as fast as the fastest peer, set-up included"
                title += "" if plan == OURS else f" ({plan})"
                charts.append(log_log_chart(title, lines, "products", "", decades))
    libraries = {library: [library] for library in plans_of(problems) + peers}
    means = {f"{of_columns(columns)}, {size} nonzeros, {scalar}, {layout}": group
             for (scalar, layout, columns, size), group in sorted(groups_of(problems).items()) if len(group) > 1}
    of_problems = {problem.name: [problem] for problem in problems}
    for name, group in [*means.items(), *list(of_problems.items())[:MOST_CURVE_CHARTS]]:
        mean = f", geometric mean of {len(group)} matrices" if name in means else ""
        charts.append(log_log_chart(f"pay_off, {name}: ms of set-up and n products{mean}",
                                    mean_lines(group, libraries), "products", "ms", decades))
    return charts


def prediction_chart(records):
    """Plots measured over predicted times, both as powers of ten, with a colour per kind of benchmark."""
    pairs = predictions(records)
    if not pairs:
        return []
    share = determination(pairs)
    title = "measured over predicted ms" + ("" if share is None else f", R^2 of the logarithms {share:.3f}")
    kinds = {kind: predictions([record for record in records if record.kind == kind])
             for kind in in_order(record.kind for record in records)}
    return [log_log_chart(title, {kind: of_kind for kind, of_kind in kinds.items() if of_kind}, "predicted", "measured",
                          stroke=False)]
