# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of results: lists of rows of text, with the header first."""
import math


def number(value):
    """Formats a number with four digits, and a prefix from a million on."""
    if value is None:
        return ""
    for size, prefix in ((1e12, " T"), (1e9, " G"), (1e6, " M")):
        if abs(value) >= size:
            return f"{value / size:.4g}{prefix}"
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def in_order(items):
    """Returns the distinct items in the order of their first occurrence."""
    return list(dict.fromkeys(items))


def context_table(contexts):
    """Returns the circumstances of runs: values that files share, or ranges of values."""
    left_out = ("json_schema_version", "executable", "load_avg", "caches", "library_build_type", "host_name",
                "cpu_scaling_enabled", "aslr_enabled")
    keys = in_order(key for _, context in contexts for key in context if key not in left_out)
    rows = [["", ""], ["files", ", ".join(name for name, _ in contexts)]]
    for key in keys:
        texts = sorted({context[key] for _, context in contexts if key in context}, key=by_size)
        is_range = len(texts) > 1 and (key == "date" or by_size(texts[-1])[0] < math.inf)
        rows.append([key, f"{texts[0]} .. {texts[-1]}" if is_range else "; ".join(texts)])
    return rows


def by_size(text):
    """A sort key: numbers by size, before other text."""
    try:
        return float(text), ""
    except ValueError:
        return math.inf, text


def differing_contexts(old, new):
    """Returns keys that differ between two runs, except dates and commits: times then depend on these, too."""
    def texts(run, key):
        return {context[key] for _, context in run.contexts if key in context}

    keys = in_order(key for _, context in new.contexts for key in context)
    compared = ("num_cpus", "device", "execution_space", "concurrency", "kokkos_version", "kokkos_kernels", "compiler",
                "flags", "ranks", "gpu", "cuda", "driver_cuda")
    return [key for key in keys if key in compared and texts(old, key) and texts(old, key) != texts(new, key)]


def results_table(records):
    """Returns a row per benchmark of one kind: subject, times, counters."""
    keys = in_order(key for record in records for key in record.keys)
    values = in_order(value for record in records for value in record.values)
    labels = any(record.label for record in records)
    head = ["matrix"] + keys + ["ms", "min", "max"] + values + (["label"] if labels else [])
    rows = [[record.matrix] + [record.keys.get(key, "") for key in keys]
            + [number(time) for time in (record.median, record.least, record.most)]
            + [number(record.values.get(value)) for value in values] + ([record.label] if labels else [])
            for record in records]
    return [head] + rows


def way_of(record):
    """Returns how it was measured, except for the number of columns: "csr, left"."""
    return ", ".join(value for key, value in record.keys.items() if key != "columns")


def ratio_groups(records):
    """Returns ratios to the baseline: {(kind, way, columns): ratios of all matrices}."""
    groups = {}
    for record in records:
        if record.values.get("ratio", 0) > 0:
            groups.setdefault((record.kind, way_of(record), record.columns), []).append(record.values["ratio"])
    return groups


def ratio_table(records):
    rows = [["benchmark", "how", "columns", "matrices", "geometric mean", "min", "max"]]
    for (kind, way, columns), ratios in ratio_groups(records).items():
        rows.append([kind, way, "" if columns is None else str(columns), str(len(ratios)),
                     number(geometric_mean(ratios)), number(min(ratios)), number(max(ratios))])
    return rows


def predictions(records):
    """Returns (predicted, measured) milliseconds of each record that has both."""
    return [(record.values["predicted_ms"], record.median) for record in records
            if record.values.get("predicted_ms", 0) > 0 and record.median > 0]


def determination(pairs):
    """R^2 of the logarithms: the share of the variation of measured times that a power of the predicted times explains.
    None if there is no variation."""
    x = [math.log(predicted) for predicted, _ in pairs]
    y = [math.log(measured) for _, measured in pairs]
    if len(pairs) < 3:
        return None
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    xx = sum((a - mean_x) ** 2 for a in x)
    yy = sum((b - mean_y) ** 2 for b in y)
    xy = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
    return xy * xy / (xx * yy) if xx > 0 and yy > 0 else None


def prediction_table(records):
    rows = [["benchmark", "how", "results", "R^2"]]
    for kind in in_order(record.kind for record in records):
        of_kind = [record for record in records if record.kind == kind and predictions([record])]
        ways = in_order(map(way_of, of_kind))
        for way in (["all"] if of_kind else []) + (ways if len(ways) > 1 else []):
            pairs = predictions([record for record in of_kind if way in ("all", way_of(record))])
            share = determination(pairs)
            rows.append([kind, way, str(len(pairs)), "-" if share is None else f"{share:.3f}"])
    return rows
