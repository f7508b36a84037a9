"""Holds the figures of a run against Benchmarks/thresholds.json."""

import json

from servers import BENCHMARKS

THRESHOLDS = BENCHMARKS / "thresholds.json"


class Bar:
    """What is looked at: one figure, or a ratio (`per`) or a difference (`less`) of two of the same round."""

    def __init__(self, text):
        self.name, self.of = text["name"], text["of"]
        self.per, self.less = text.get("per"), text.get("less")
        self.at_most, self.at_least = text.get("atMost"), text.get("atLeast")
        # The same on every host, quick or slow, quiet or not.
        self.is_count = text.get("isCount", False)

    @property
    def keys(self):
        return [key for key in (self.of, self.per, self.less) if key is not None]

    @property
    def limit(self):
        return f"at most {self.at_most:g}" if self.at_most is not None else f"at least {self.at_least:g}"

    def seen(self, figures):
        if self.per is not None:
            return figures.compared(self.of, self.per, lambda one, other: one / other)
        if self.less is not None:
            return figures.compared(self.of, self.less, lambda one, other: one - other)
        return figures.median(self.of)

    def is_kept(self, seen):
        if seen is None:
            return False
        # As it is printed: what a process does once is no part of what each of its calls does.
        seen = round(seen, 2)
        return seen <= self.at_most if self.at_most is not None else seen >= self.at_least


def read_bars():
    return [Bar(text) for text in json.loads(THRESHOLDS.read_text())["bars"]]


def loads_of(bars):
    """The loads that the bars speak of, as (protocol, in flight, client)."""
    loads = {}
    for bar in bars:
        for key in bar.keys:
            parts = key.split("/")
            if len(parts) == 4:
                loads[parts[0], int(parts[1]), parts[2]] = None
    return list(loads)


def print_bars(bars, figures):
    """Returns how many are not kept."""
    print(f"\n{'':<6}{'bar':<74}{'limit':>15}{'seen':>10}")
    missed = 0
    for bar in bars:
        seen = bar.seen(figures)
        is_kept = bar.is_kept(seen)
        missed += not is_kept
        print(f"{'ok' if is_kept else 'OFF':<6}{bar.name:<74}{bar.limit:>15}{'none' if seen is None else f'{seen:.2f}':>10}")
    print(f"\n{len(bars) - missed} of {len(bars)} bars are kept.")
    return missed
