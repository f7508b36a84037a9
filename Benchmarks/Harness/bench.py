#!/usr/bin/env python3
"""Measures every client against nginx on loopback, round by round, and prints medians.

    bench.py run PROGRAMS [--full]      every client; writes Benchmarks/results/latest.json
    bench.py check PROGRAMS             what the bars need; fails when one is not kept; writes results/check.json
    bench.py counts PROGRAMS            the bars that count, and need no quiet host; fails when one is not kept

PROGRAMS is the directory of curl-baseline and moya-bench. `Scripts/bench` builds them and calls this.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

import bars
from clients import CLIENTS, STREAMS, WIDE, CannotBeMeasured, ClientFailure, Clients
from figures import Figures, print_loads
from servers import BENCHMARKS, PROTOCOLS, Nginx, raise_descriptor_limit, with_servers

RESULTS = BENCHMARKS / "results"
CONCURRENCIES = (1, 16, 64, 256, 1024)
# The quick form leaves out what lies between.
QUICK_LOADS = (("http1", 1), ("http1", 64), ("http1", 1024), (WIDE, 1024), ("https1", 64), ("http2", 64))
FULL_LOADS = (
    *((protocol, in_flight) for protocol in PROTOCOLS for in_flight in CONCURRENCIES), (WIDE, 256), (WIDE, 1024))
KINDS = (*PROTOCOLS, WIDE)
WAITING_CALLS = 10_000
# With one call in flight the core sleeps between its bytes, and how long it takes to wake comes in two kinds.
TIMES_ALONE = 3


class Run:
    """Measures, and keeps the figures; what cannot be measured is said once and left out from then on."""

    def __init__(self, clients):
        self.clients, self.figures, self.failed = clients, Figures(), {}

    def measure(self, prefix, measurement, *arguments):
        if prefix in self.failed:
            return
        for attempt in (1, 2):
            try:
                return self.figures.add(prefix, measurement(*arguments))
            except (CannotBeMeasured, ClientFailure) as failure:
                if attempt == 2 or isinstance(failure, CannotBeMeasured):
                    self.failed[prefix] = str(failure)
                    say(f"left out: {prefix}: {failure}")
                    return

    def load(self, protocol, in_flight, client, seconds):
        self.measure(f"{protocol}/{in_flight}/{client}", self.clients.load, client, protocol, in_flight, seconds)

    def others(self, rounds, has_idle=True):
        """What is not a load; the two clients of each in turn."""
        for number in range(rounds):
            say(f"stub, parts of a call, large files, streams, waiting calls: round {number + 1} of {rounds}")
            self.measure("stub", self.clients.stub)
            self.measure("parts", self.clients.parts)
            for direction in ("download", "upload"):
                for client in ("curl", "moya") if number % 2 else ("moya", "curl"):
                    self.measure(f"{direction}/{client}", self.clients.transfer, client, direction)
            for client in ("curl", "moya") if number % 2 else ("moya", "curl"):
                self.measure(f"streams/{client}", self.clients.streams, client, "events", STREAMS, 3)
                self.measure(f"first/{client}", self.clients.streams, client, "first", 1, 1)
            for client in ("curl", "await"):
                self.measure(f"waiting/{client}", self.clients.waiting, client, WAITING_CALLS)
        if has_idle:
            for client in ("none", "moya"):
                say(f"an idle process, provider: {client}")
                self.measure(f"idle/{client}", self.clients.idle, client)

    def print_others(self):
        print("\nothers")
        for key, values in self.figures.rounds.items():
            if key.split("/")[0] not in KINDS:
                print(f"  {key:<44}{self.figures.median(key):>14,.2f}{self.figures.spread(key):>9.0%}")


def say(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def run(arguments, clients):
    loads, rounds, seconds = (FULL_LOADS, 5, 1.0) if arguments.full else (QUICK_LOADS, 3, 0.5)
    measured = Run(clients)
    for number in range(rounds):
        for protocol, in_flight in loads:
            say(f"round {number + 1} of {rounds}: {protocol}, {in_flight} in flight")
            for client in CLIENTS:
                measured.load(protocol, in_flight, client, seconds)
    measured.others(rounds if arguments.full else 1, has_idle=arguments.full)
    print_loads(measured.figures, CLIENTS, KINDS, CONCURRENCIES)
    measured.print_others()
    write("latest.json", measured, "full" if arguments.full else "quick")
    return 0


def check(arguments, clients):
    held = bars.read_bars()
    loads = bars.loads_of(held)
    measured = Run(clients)
    for number in range(arguments.rounds):
        say(f"round {number + 1} of {arguments.rounds}: {len(loads)} loads")
        for protocol, in_flight, client in loads:
            if in_flight > 1:
                measured.load(protocol, in_flight, client, 0.75)
        for protocol, in_flight, client in [load for load in loads if load[1] == 1] * TIMES_ALONE:
            measured.load(protocol, in_flight, client, 0.75)
    measured.others(5)
    print_loads(measured.figures, CLIENTS, KINDS, CONCURRENCIES)
    measured.print_others()
    write("check.json", measured, "check")
    return 1 if bars.print_bars(held, measured.figures) else 0


def count(arguments, clients):
    held = [bar for bar in bars.read_bars() if bar.is_count]
    measured = Run(clients)
    for protocol, in_flight, client in bars.loads_of(held):
        measured.load(protocol, in_flight, client, 0.75)
    measured.measure("stub", clients.stub)
    return 1 if bars.print_bars(held, measured.figures) else 0


def machine():
    def first_line(*command):
        output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        return output.splitlines()[0] if output else "unknown"

    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return {
        "processor": processor[1] if processor else platform.machine(),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "libcurl": first_line("curl-config", "--version"),
        "nginx": first_line(with_servers.find("nginx"), "-v"),
        "swift": first_line("swift", "--version"),
    }


def write(name, measured, form):
    RESULTS.mkdir(exist_ok=True)
    content = {
        "form": form, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": machine(),
        "leftOut": measured.failed, "figures": measured.figures.as_json(),
    }
    (RESULTS / name).write_text(json.dumps(content, indent=1) + "\n")
    say(f"written: Benchmarks/results/{name}")


COMMANDS = {"run": run, "check": check, "counts": count}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--rounds", type=int, default=5, help="of the loads of a check")
    arguments = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    counts = arguments.command == "counts"
    if len(cores) < 2 and not counts:
        sys.exit("bench: a core for the client and another for nginx are needed, and here is one")
    if raise_descriptor_limit() < WAITING_CALLS + 1000 and not counts:
        sys.exit(f"bench: {WAITING_CALLS:,} waiting calls need as many descriptors and more: raise `ulimit -Hn`")
    # Nothing is transferred to be counted.
    large_bytes = 1 << 20 if counts else 2 << 30 if arguments.full or arguments.command == "check" else 256 << 20
    try:
        with Nginx(cores[1 % len(cores)], large_bytes) as nginx:
            clients = Clients(arguments.programs.resolve(), cores[0], nginx)
            return COMMANDS[arguments.command](arguments, clients)
    except (ClientFailure, with_servers.ServerFailure) as failure:
        sys.exit(f"bench: {failure}")


if __name__ == "__main__":
    sys.exit(main())
