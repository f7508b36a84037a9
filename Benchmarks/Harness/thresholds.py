"""Compares the figures of a run with Benchmarks/thresholds.json."""

import json

from servers import BENCHMARKS

FILE = BENCHMARKS / "thresholds.json"


class Threshold:
    """A limit of a figure, or of a ratio (`per`) or a difference (`less`) of two figures of the same round."""

    def __init__(self, row):
        self.name, self.of = row["name"], row["of"]
        self.per, self.less = row.get("per"), row.get("less")
        self.at_most, self.at_least = row.get("atMost"), row.get("atLeast")
        # Counts do not depend on the speed and load of the host.
        self.is_count = row.get("isCount", False)
        # Without a limit, the value is only printed.
        self.is_judged = self.at_most is not None or self.at_least is not None
        # A figure of a client that is not built on every host.
        self.is_optional = row.get("isOptional", False)

    @property
    def keys(self):
        return [key for key in (self.of, self.per, self.less) if key is not None]

    @property
    def limit(self):
        if not self.is_judged:
            return "no limit"
        return f"at most {self.at_most:g}" if self.at_most is not None else f"at least {self.at_least:g}"

    def measured(self, figures):
        if self.per is not None:
            return figures.compared(self.of, self.per, lambda one, other: one / other)
        if self.less is not None:
            return figures.compared(self.of, self.less, lambda one, other: one - other)
        return figures.median(self.of)

    def failure(self, failed):
        """The failed measurement that the figures are from; None if none has failed."""
        return next((f"{prefix} failed: {reason}" for prefix, reason in failed.items() for key in self.keys
                     if key.startswith(f"{prefix}/")), None)

    def gap(self, figures):
        """The difference of the numbers of rounds; None if the figures are of the same rounds."""
        counts = [len(figures.rounds.get(key, ())) for key in self.keys]
        return None if len(set(counts)) == 1 else f"rounds: {' and '.join(map(str, counts))}"

    def is_met(self, value):
        if value is None:
            return False
        # Rounded as printed, which drops the share of one-time costs of the process.
        value = round(value, 2)
        return value <= self.at_most if self.at_most is not None else value >= self.at_least


def read_thresholds():
    return [Threshold(row) for row in json.loads(FILE.read_text())["thresholds"]]


def required_loads(thresholds):
    """The loads whose figures the thresholds need, as (protocol, in flight, client)."""
    loads = {}
    for threshold in thresholds:
        for key in threshold.keys:
            parts = key.split("/")
            if len(parts) == 4 and parts[1].isdigit():
                loads[parts[0], int(parts[1]), parts[2]] = None
    return list(loads)


def print_thresholds(thresholds, figures, failed):
    """Prints each threshold with its measured value, and returns the number that are not met.

    An optional threshold without a measured value is neither met nor missed, nor is one without a limit. One whose
    figures lack a round, because a measurement has failed, is missed.
    """
    print(f"\n{'':<6}{'threshold':<74}{'limit':>15}{'measured':>10}")
    missed = unmeasured = unjudged = 0
    for threshold in thresholds:
        value = threshold.measured(figures)
        failure = threshold.failure(failed)
        if value is None and threshold.is_optional and not failure:
            unmeasured += 1
            print(f"{'–':<6}{threshold.name:<74}{threshold.limit:>15}  not measured")
            continue
        shown = "none" if value is None else f"{value:.2f}"
        if not threshold.is_judged:
            unjudged += 1
            print(f"{'–':<6}{threshold.name:<74}{threshold.limit:>15}{shown:>10}")
            continue
        gap = failure or threshold.gap(figures)
        is_met = gap is None and threshold.is_met(value)
        missed += not is_met
        shown += f"  ({gap})" if gap else ""
        print(f"{'ok' if is_met else 'OFF':<6}{threshold.name:<74}{threshold.limit:>15}{shown:>10}")
    measured = len(thresholds) - unmeasured - unjudged
    print(f"\n{measured - missed} of {measured} thresholds are met{f'; {unmeasured} not measured' if unmeasured else ''}.")
    return missed
