"""The figures of a run: lists with one value per round, by key.

    http1/64/await/cpuMicroseconds      protocol, calls in flight, client, figure
    download/moya/mebibytesPerSecond    large file, client, figure
    streams/moya/cpuMicroseconds        1,000 event streams, client, figure per event
    first/moya/p99Microseconds          a stream of one event, client, figure
    waiting/await/kibibytesACall        10,000 calls, client, figure
    idle/moya/wakeups                   a process with or without a provider, figure
    loops/2/requestsPerSecond           loops with a core each, figure; 1of2 is one loop on two cores
    cache/memory/cpuMicroseconds        kind of cache, or `network` for calls to nginx; figure
    start/moya/leastMilliseconds        program, figure
    size/moya/strippedBytes             program, figure
    stub/microseconds                   figure
"""

import statistics

LOAD_FIGURES = {
    "requestsPerSecond": ("req/s", "{:,.0f}"),
    "cpuMicroseconds": ("CPU us", "{:.1f}"),
    "allocations": ("allocs", "{:.1f}"),
    "peakKiB": ("peak MiB", "{:.1f}"),
    "p50Microseconds": ("p50 us", "{:,.0f}"),
    "p99Microseconds": ("p99 us", "{:,.0f}"),
}


class Figures:
    def __init__(self):
        self.rounds = {}

    def add(self, prefix, values):
        for name, value in values.items():
            self.rounds.setdefault(f"{prefix}/{name}", []).append(value)

    def median(self, key):
        return statistics.median(self.rounds[key]) if key in self.rounds else None

    def spread(self, key):
        """The range of the rounds, as a fraction of their median."""
        values, middle = self.rounds[key], self.median(key)
        return (max(values) - min(values)) / middle if middle else 0.0

    def compared(self, key, other, operation):
        """The median of an operation on two figures of the same round, which the host's load affects alike."""
        if key not in self.rounds or other not in self.rounds:
            return None
        return statistics.median(map(operation, self.rounds[key], self.rounds[other]))

    def as_json(self):
        return {
            key: {"median": round(self.median(key), 3), "low": round(min(values), 3), "high": round(max(values), 3),
                  "rounds": [round(value, 3) for value in values]}
            for key, values in sorted(self.rounds.items())
        }


def print_loads(figures, clients, protocols, concurrencies):
    for protocol in protocols:
        for in_flight in concurrencies:
            rows = [(client, f"{protocol}/{in_flight}/{client}") for client in clients]
            rows = [(client, prefix) for client, prefix in rows if figures.median(f"{prefix}/cpuMicroseconds")]
            if rows:
                print_load(figures, clients, protocol, in_flight, rows)


def print_load(figures, clients, protocol, in_flight, rows):
    print(f"\n{protocol}, {in_flight:,} in flight")
    head = "".join(f"{title:>10}" for title, _ in LOAD_FIGURES.values())
    print(f"  {'':<20}{head}{'CPU/(a)':>10}{'spread':>9}")
    limit = f"{protocol}/{in_flight}/curl/cpuMicroseconds"
    for client, prefix in rows:
        cells = ""
        for name, (_, form) in LOAD_FIGURES.items():
            value = figures.median(f"{prefix}/{name}")
            if value is None:
                cells += f"{'–':>10}"
            else:
                cells += f"{form.format(value / 1024 if name == 'peakKiB' else value):>10}"
        cpu = f"{prefix}/cpuMicroseconds"
        ratio = figures.compared(cpu, limit, lambda one, other: one / other)
        print(f"  {clients[client]:<20}{cells}{ratio or 0:>10.2f}{figures.spread(cpu):>9.0%}", flush=True)
