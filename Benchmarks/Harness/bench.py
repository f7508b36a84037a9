#!/usr/bin/env python3
"""Measures every client against nginx on loopback, round by round, and prints medians.

    bench.py run PROGRAMS [--full]      every client; writes Benchmarks/results/latest.json
    bench.py check PROGRAMS             every threshold; fails if one is not met; writes results/check.json
    bench.py size PROGRAMS              the size of programs with a static standard library; fails if one is not met
    bench.py counts PROGRAMS            the thresholds of counts, on any host; fails if one is not met

PROGRAMS is the directory of curl-baseline and moya-bench. `Scripts/bench` builds them and calls this.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import time

import thresholds
from clients import CLIENTS, STREAMS, WIDE, CannotBeMeasured, ClientFailure, Clients
from figures import Figures, print_loads
from servers import BENCHMARKS, PROTOCOLS, Nginx, raise_descriptor_limit, with_servers
from starts import sizes, starts

RESULTS = BENCHMARKS / "results"
CONCURRENCIES = (1, 16, 64, 256, 1024)
# The quick run omits the loads in between.
QUICK_LOADS = (("http1", 1), ("http1", 64), ("http1", 1024), (WIDE, 1024), ("https1", 64), ("http2", 64))
FULL_LOADS = (
    *((protocol, in_flight) for protocol in PROTOCOLS for in_flight in CONCURRENCIES), (WIDE, 256), (WIDE, 1024))
KINDS = (*PROTOCOLS, WIDE)
WAITING_CALLS = 10_000
# With one call in flight the core sleeps between bytes, and its wake-up time has two typical values.
TIMES_ALONE = 3


class Run:
    """Measures and stores figures; a measurement that fails twice is reported and then omitted."""

    def __init__(self, clients):
        self.clients, self.figures, self.failed = clients, Figures(), {}

    def leave_out_missing(self):
        """Reports the clients that are not built, with one line per reason."""
        self.failed |= self.clients.missing
        for reason in dict.fromkeys(self.clients.missing.values()):
            log(f"left out: {reason}")

    def measure(self, prefix, measurement, *arguments):
        if prefix in self.failed:
            return
        for attempt in (1, 2):
            try:
                return self.figures.add(prefix, measurement(*arguments))
            except (CannotBeMeasured, ClientFailure) as failure:
                if attempt == 2 or isinstance(failure, CannotBeMeasured):
                    self.failed[prefix] = str(failure)
                    log(f"left out: {prefix}: {failure}")
                    return
                log(f"repeated: {prefix}: {failure}")

    def load(self, protocol, in_flight, client, seconds):
        if client in self.clients.missing:
            return
        self.measure(f"{protocol}/{in_flight}/{client}", self.clients.load, client, protocol, in_flight, seconds)

    def other_measurements(self, rounds, has_idle=True):
        """Measures everything except the loads, with alternating clients."""
        for number in range(rounds):
            log(f"first call, loops, parts of a call, cache, files, streams, waiting calls: round {number + 1} of {rounds}")
            self.measure("stub", self.clients.stub)
            self.measure("start", starts, self.clients)
            self.loops(number)
            self.measure("parts", self.clients.parts)
            self.measure("progress", self.clients.progress)
            self.measure("cache", self.clients.cache)
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
                log(f"an idle process, provider: {client}")
                self.measure(f"idle/{client}", self.clients.idle, client)

    def loops(self, number):
        """Measures one and two loops, also one loop on two cores, to separate the effect of the second core."""
        one, two = [self.clients.core], [self.clients.core, self.clients.nginx.core]
        cases = [("1", 1, one), ("1of2", 1, two), ("2", 2, two)]
        for name, loops, cores in reversed(cases) if number % 2 else cases:
            self.measure(f"loops/{name}", self.clients.loops, loops, cores, 1.0)

    def print_others(self):
        print("\nothers")
        for key, values in self.figures.rounds.items():
            if key.split("/")[0] not in KINDS:
                print(f"  {key:<44}{self.figures.median(key):>14,.2f}{self.figures.spread(key):>9.0%}")


def log(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def run(arguments, clients):
    loads, rounds, seconds = (FULL_LOADS, 5, 1.0) if arguments.full else (QUICK_LOADS, 3, 0.5)
    measured = Run(clients)
    measured.leave_out_missing()
    for number in range(rounds):
        for protocol, in_flight in loads:
            log(f"round {number + 1} of {rounds}: {protocol}, {in_flight} in flight")
            for client in CLIENTS:
                measured.load(protocol, in_flight, client, seconds)
    measured.other_measurements(rounds if arguments.full else 1, has_idle=arguments.full)
    print_loads(measured.figures, CLIENTS, KINDS, CONCURRENCIES)
    measured.print_others()
    write("latest.json", measured, "full" if arguments.full else "quick")
    return 0


def check(arguments, clients):
    # `Scripts/bench size` checks the size of programs, which needs another build.
    checked = [threshold for threshold in thresholds.read_thresholds() if not threshold.of.startswith("size/")]
    loads = thresholds.required_loads(checked)
    measured = Run(clients)
    measured.leave_out_missing()
    for number in range(arguments.rounds):
        log(f"round {number + 1} of {arguments.rounds}: {len(loads)} loads")
        for protocol, in_flight, client in loads:
            if in_flight > 1:
                measured.load(protocol, in_flight, client, 0.75)
        for protocol, in_flight, client in [load for load in loads if load[1] == 1] * TIMES_ALONE:
            measured.load(protocol, in_flight, client, 0.75)
    measured.other_measurements(5)
    print_loads(measured.figures, CLIENTS, KINDS, CONCURRENCIES)
    measured.print_others()
    write("check.json", measured, "check")
    return 1 if thresholds.print_thresholds(checked, measured.figures, measured.failed) else 0


def count(arguments, clients):
    every = thresholds.read_thresholds()
    # Every row is read here too, since a check of all of them runs less often.
    thresholds.required_loads(every)
    checked = [threshold for threshold in every if threshold.is_count]
    measured = Run(clients)
    # On one core, several responses are ready at each wake-up of the client. On two cores, a client that is faster than
    # nginx wakes up for each response, and Dispatch makes three allocations per wake-up.
    measured.measure("loops/1", clients.loops, 1, [clients.core], 0.75)
    measured.measure("stub", clients.stub)
    return 1 if thresholds.print_thresholds(checked, measured.figures, measured.failed) else 0


def size(arguments, _):
    measured = Figures()
    for name, bytes_of in sizes(arguments.programs).items():
        measured.add("size", {f"{name}/{figure}": value for figure, value in bytes_of.items()})
    for key in measured.rounds:
        print(f"  {key:<44}{measured.median(key):>14,.0f}")
    checked = [threshold for threshold in thresholds.read_thresholds() if threshold.of.startswith("size/")]
    return 1 if thresholds.print_thresholds(checked, measured, {}) else 0


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
    log(f"written: Benchmarks/results/{name}")


COMMANDS = {"run": run, "check": check, "counts": count, "size": size}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of the loads in a check")
    arguments = parser.parse_args()
    if arguments.command == "size":
        return size(arguments, None)
    cores = sorted(os.sched_getaffinity(0))
    counts = arguments.command == "counts"
    if len(cores) < 2 and not counts:
        sys.exit("bench: needs two cores, one for the client and one for nginx; this host has one")
    if raise_descriptor_limit() < WAITING_CALLS + 1000 and not counts:
        sys.exit(f"bench: {WAITING_CALLS:,} waiting calls need more than as many descriptors: raise `ulimit -Hn`")
    # Counts need no large file.
    large_bytes = 1 << 20 if counts else 2 << 30 if arguments.full or arguments.command == "check" else 256 << 20
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, with_servers.terminate)
    try:
        with Nginx(cores[1 % len(cores)], large_bytes) as nginx:
            clients = Clients(arguments.programs.resolve(), cores[0], nginx)
            return COMMANDS[arguments.command](arguments, clients)
    except (ClientFailure, with_servers.ServerFailure) as failure:
        sys.exit(f"bench: {failure}")
    except with_servers.Terminated as terminated:
        return 128 + terminated.number


if __name__ == "__main__":
    sys.exit(main())
