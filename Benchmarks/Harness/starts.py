"""Measures the time from the start of a process to its first response, and the size of a program with one call."""

import os
import pathlib
import select
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

from clients import LIMIT_SECONDS, ClientFailure

STARTS = 20
# Of the first five, each program loads more than the one before it; the first two make no call.
PROGRAMS = {
    "foundation": "start-foundation",
    "networking": "start-networking",
    "curl": "curl-baseline",
    "urlsession": "start-urlsession",
    "moya": "start-moya",
    "asynchttpclient": "start-asynchttpclient",
}
CALLERS = ("urlsession", "moya")
# Started only where it is built.
PEERS = ("asynchttpclient",)


def starts(clients):
    """Measures the milliseconds from the start of each program until it prints its first response, in turn."""
    started = {
        name: clients.programs / program for name, program in PROGRAMS.items()
        if name not in PEERS or (clients.programs / program).exists()}
    arguments = {name: [] for name in started}
    server = clients.nginx.urls["http1"]
    arguments["curl"] = ["start", f"{server}/small", *clients.field_arguments()]
    for name in (*CALLERS, *PEERS):
        arguments[name] = [server]
    times = {name: [] for name in started}
    own = os.sched_getaffinity(0)
    # Children inherit the affinity; `taskset` would be another program to start.
    os.sched_setaffinity(0, [clients.core])
    try:
        for _ in range(STARTS):
            for name, program in started.items():
                times[name].append(start([program, *arguments[name]]))
    finally:
        os.sched_setaffinity(0, own)
    figures = {}
    for name, values in times.items():
        figures[f"{name}/leastMilliseconds"] = min(values)
        figures[f"{name}/medianMilliseconds"] = statistics.median(values)
    return figures


def start(command):
    """Measures the milliseconds until a program prints its first byte."""
    reading, writing = os.pipe()
    words = list(map(str, command))
    began = time.monotonic()
    process = os.posix_spawn(
        words[0], words, os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1), (os.POSIX_SPAWN_CLOSE, reading)])
    os.close(writing)
    try:
        ready, _, _ = select.select([reading], [], [], LIMIT_SECONDS)
        printed = os.read(reading, 64) if ready else b""
        milliseconds = (time.monotonic() - began) * 1e3
        if not ready:
            os.kill(process, signal.SIGKILL)
    finally:
        os.close(reading)
        _, status = os.waitpid(process, 0)
    if status != 0 or not printed:
        raise ClientFailure(f"{pathlib.Path(words[0]).name}: status {os.waitstatus_to_exitcode(status)}")
    return milliseconds


def sizes(programs):
    """The sizes in bytes of the programs that make a call, with and without symbols."""
    found = {}
    with tempfile.TemporaryDirectory() as directory:
        for name in CALLERS:
            program = programs / PROGRAMS[name]
            copy = shutil.copy(program, directory)
            subprocess.run(["strip", copy], check=True)
            found[name] = {"bytes": program.stat().st_size, "strippedBytes": os.stat(copy).st_size}
    return found
