#!/usr/bin/env python3
"""Plots the cost of a request against the number in flight, with a line per client and a panel per protocol.

    plot.py [RESULTS [SVG]]     by default results/latest.json and results/cost.svg
"""

import json
import math
import pathlib
import sys

BENCHMARKS = pathlib.Path(__file__).resolve().parents[1]
PROTOCOLS = {"http1": "HTTP/1.1", "https1": "HTTP/1.1, TLS", "http2": "HTTP/2"}
# Name and colour; the names at the ends of the lines identify them without colour.
CLIENTS = {
    "curl": ("libcurl in C", "#111111"),
    "wire": ("MoyaCurl bare", "#0072b2"),
    "completion": ("completion", "#009e73"),
    "await": ("await", "#d55e00"),
    "decoded": ("await, decoded", "#cc79a7"),
    "furnished": ("furnished", "#b8860b"),
    "urlsession": ("URLSession", "#7f7f7f"),
    "tuned": ("libcurl, tuned", "#56b4e9"),
    "go": ("Go net/http", "#4b0082"),
    "wrk": ("wrk", "#a0a000"),
    "ahcCallback": ("AHC, callback", "#8b0000"),
    "ahcAsync": ("AHC, async", "#008b8b"),
}
PANEL_WIDTH, PANEL_HEIGHT, GAP, LEFT, TOP, BOTTOM, LABELS = 260, 300, 130, 60, 56, 48, 16
TICKS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000)


def read(path):
    """{protocol: {client: [(in flight, microseconds, low, high)]}}"""
    content = json.loads(path.read_text())
    lines = {}
    for key, figure in content["figures"].items():
        parts = key.split("/")
        if len(parts) == 4 and parts[0] in PROTOCOLS and parts[2] in CLIENTS and parts[3] == "cpuMicroseconds":
            point = (int(parts[1]), figure["median"], figure["low"], figure["high"])
            lines.setdefault(parts[0], {}).setdefault(parts[2], []).append(point)
    for clients in lines.values():
        for points in clients.values():
            points.sort()
    return content, lines


class Scale:
    """Logarithmic scales of both axes."""

    def __init__(self, lines):
        points = [point for clients in lines.values() for line in clients.values() for point in line]
        low, high = min(point[2] for point in points), max(point[3] for point in points)
        self.low = max((tick for tick in TICKS if tick <= low), default=TICKS[0])
        self.high = min((tick for tick in TICKS if tick >= high), default=high)
        self.concurrencies = sorted({point[0] for point in points})

    def x(self, in_flight):
        first, last = math.log2(self.concurrencies[0]), math.log2(self.concurrencies[-1])
        return PANEL_WIDTH * (math.log2(in_flight) - first) / max(last - first, 1)

    def y(self, microseconds):
        part = math.log(microseconds / self.low) / math.log(self.high / self.low)
        return TOP + PANEL_HEIGHT * (1 - part)


def separated(wanted, height=13):
    """Moves overlapping labels down, from top to bottom."""
    placed, last = {}, -math.inf
    for name, y in sorted(wanted.items(), key=lambda item: item[1]):
        placed[name] = last = max(y, last + height)
    return placed


def panel(protocol, clients, left, scale):
    yield f'<text x="{left}" y="{TOP - 12}" font-weight="bold">{PROTOCOLS[protocol]}</text>'
    for tick in (tick for tick in TICKS if scale.low <= tick <= scale.high):
        y = scale.y(tick)
        yield f'<path d="M{left} {y:.1f}h{PANEL_WIDTH}" stroke="#ddd"/>'
        yield f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{tick}</text>'
    for in_flight in scale.concurrencies:
        x = left + scale.x(in_flight)
        yield f'<text x="{x:.1f}" y="{TOP + PANEL_HEIGHT + 16}" text-anchor="middle" fill="#555">{in_flight}</text>'
    ends = {}
    for client, points in clients.items():
        _, colour = CLIENTS[client]
        places = [(left + scale.x(point[0]), scale.y(point[1])) for point in points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>'
        for (x, y), point in zip(places, points):
            # The bar is the range of the rounds.
            yield (f'<path d="M{x:.1f} {scale.y(point[2]):.1f}V{scale.y(point[3]):.1f}" stroke="{colour}"/>'
                   f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>')
        ends[client] = places[-1]
    labels = separated({client: y for client, (_, y) in ends.items()})
    for client, y in labels.items():
        name, colour = CLIENTS[client]
        yield f'<text x="{ends[client][0] + 8:.1f}" y="{y + 4:.1f}" fill="{colour}">{name}</text>'


def draw(content, lines):
    protocols = [protocol for protocol in PROTOCOLS if protocol in lines]
    scale = Scale(lines)
    width = LEFT + len(protocols) * (PANEL_WIDTH + GAP)
    height = TOP + PANEL_HEIGHT + BOTTOM
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="12">')
    yield f'<rect width="{width}" height="{height}" fill="white"/>'
    yield f'<text x="{LABELS}" y="20" font-size="14">CPU a request in µs, against requests in flight</text>'
    for index, protocol in enumerate(protocols):
        yield from panel(protocol, lines[protocol], LEFT + index * (PANEL_WIDTH + GAP), scale)
    machine = content["machine"]
    about = f'{machine["processor"]}, {machine["libcurl"]}; one core for the client; medians, bars from lowest to highest'
    yield f'<text x="{LABELS}" y="{height - 10}" fill="#555">{about.replace("&", "&amp;").replace("<", "&lt;")}</text>'
    yield "</svg>"


def main():
    paths = [pathlib.Path(argument) for argument in sys.argv[1:3]]
    source = paths[0] if paths else BENCHMARKS / "results" / "latest.json"
    target = paths[1] if len(paths) > 1 else BENCHMARKS / "results" / "cost.svg"
    if not source.exists():
        sys.exit(f"bench-plot: {source.name} is not there: run `make bench` first")
    content, lines = read(source)
    if not lines:
        sys.exit(f"bench-plot: {source.name} holds no load")
    target.parent.mkdir(exist_ok=True)
    target.write_text("\n".join(draw(content, lines)) + "\n")
    print(f"drawn: {target.name}")


if __name__ == "__main__":
    main()
