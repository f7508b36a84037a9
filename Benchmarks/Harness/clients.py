"""Runs clients, and returns the figures that they print."""

import json
import math
import os
import re
import resource
import shutil
import subprocess
import uuid

from figures import LOAD_FIGURES
from servers import EventServer, SilentServer, pinned_to

WITHOUT_PEERS = (
    "AsyncHTTPClient: set ASYNC_HTTP_CLIENT to a folder with its package, such as a clone of "
    "github.com/swift-server/async-http-client")
# Each client adds a part to the one before it.
CLIENTS = {
    "curl": "(a) libcurl in C",
    "tuned": "(a*) libcurl, tuned",
    "wire": "(b) MoyaCurl bare",
    "completion": "(c) completion",
    "await": "(d) await",
    "deadline": "(d+) await, a deadline",
    "decoded": "(e) await, decoded",
    "furnished": "(f) furnished",
    "complete": "(f+) furnished, a deadline",
    "urlsession": "(g) URLSession",
    "go": "(h) Go net/http",
    "wrk": "(i) wrk",
    "ahcCallback": "(j) AHC, callback",
    "ahcAsync": "(k) AHC, async",
}
# The programs of clients that are not built on every host, and the reason.
OPTIONAL_PROGRAMS = {
    "go": ("go-baseline", "Go's net/http: there is no `go`, or it could not be built"),
    "ahcCallback": ("peer-bench", WITHOUT_PEERS),
    "ahcAsync": ("peer-bench", WITHOUT_PEERS),
}
# The forms of AsyncHTTPClient's API, as peer-bench calls them.
AHC_FORMS = {"ahcCallback": "callback", "ahcAsync": "async"}
# The maximum number of connections, except for WIDE, which has a connection per call. Further calls wait, as in an app.
CONNECTIONS = 64
WIDE = "http1wide"
# libcurl's limit is 100 streams per connection; with 64, every number in flight fills its connections.
STREAMS_A_CONNECTION = 64
LIMIT_SECONDS = 60
STREAMS, EVENTS_A_SECOND = 1000, 100


class ClientFailure(Exception):
    """A client failed; the message names it and the reason."""


class CannotBeMeasured(Exception):
    """A client does not support a measurement; the message gives the reason."""


def connections(protocol, in_flight):
    if protocol == "http2":
        return math.ceil(in_flight / STREAMS_A_CONNECTION)
    return in_flight if protocol == WIDE else min(in_flight, CONNECTIONS)


def microseconds(text):
    """Parses a time in the format of wrk."""
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]


class Clients:
    def __init__(self, programs, core, nginx):
        self.programs, self.core, self.nginx = programs, core, nginx
        self.fields = self.run("moya-bench", ["fields"]).splitlines()
        self.missing = {
            client: reason for client, (program, reason) in OPTIONAL_PROGRAMS.items()
            if not (self.programs / program).exists()}

    def load(self, client, protocol, in_flight, seconds):
        server = "http1" if protocol == WIDE else protocol
        if client == "urlsession" and server != "http1":
            raise CannotBeMeasured("URLSession trusts the system's certificate authorities alone on Linux")
        if client == "wrk":
            return self.wrk(server, in_flight, connections(protocol, in_flight), seconds)
        arguments = ["--in-flight", in_flight, "--connections", connections(protocol, in_flight), "--seconds", seconds]
        if server != "http1":
            arguments += ["--ca", self.nginx.authority]
        if server == "http2":
            arguments += ["--http2"]
        url = self.nginx.urls[server]
        if client in ("curl", "tuned"):
            arguments += ["--tuned"] if client == "tuned" else []
            figures = self.figures("curl-baseline", ["load", f"{url}/small", *arguments, *self.field_arguments()])
        elif client == "go":
            figures = self.figures("go-baseline", [f"{url}/small", *arguments, *self.field_arguments()])
        elif client in AHC_FORMS:
            form = ["--client", AHC_FORMS[client]]
            figures = self.figures("peer-bench", ["load", f"{url}/small", *form, *arguments, *self.field_arguments()])
        else:
            figures = self.figures("moya-bench", ["load", "--client", client, "--url", url, *arguments])
        if figures["failures"]:
            raise ClientFailure(f"{client}: {figures['failures']} calls failed")
        return {name: figures[name] for name in LOAD_FIGURES}

    def wrk(self, server, in_flight, count, seconds):
        """Measures the load generator wrk, which detects the end of a response and stores none of it."""
        if server != "http1" or in_flight != count:
            raise CannotBeMeasured("wrk speaks HTTP/1.1, with a connection for each call in flight")
        program = shutil.which("wrk")
        if program is None:
            raise CannotBeMeasured("wrk is not installed: apt-get install wrk")
        fields = [argument for field in self.fields for argument in ("-H", field)]
        # wrk measures whole seconds.
        options = ["-t1", f"-c{in_flight}", f"-d{math.ceil(seconds)}", "--latency"]
        command = [*pinned_to(self.core), program, *options, *fields, f"{self.nginx.urls[server]}/small"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        requests = re.search(r"(\d+) requests in", done.stdout)
        if done.returncode != 0 or requests is None or "Non-2xx" in done.stdout:
            raise ClientFailure(f"wrk: {done.stdout!r}")
        processor = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
        return {
            "requestsPerSecond": float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1]),
            "cpuMicroseconds": processor * 1e6 / int(requests[1]),
            "p50Microseconds": microseconds(re.search(r"50%\s+(\S+)", done.stdout)[1]),
            "p99Microseconds": microseconds(re.search(r"99%\s+(\S+)", done.stdout)[1]),
        }

    def loops(self, loops, cores, seconds):
        """Measures awaited calls over a number of loops, with the server on the client's cores."""
        with self.nginx.on_cores(cores):
            figures = self.figures(
                "moya-bench",
                ["load", "--client", "await", "--url", self.nginx.urls["http1"], "--in-flight", CONNECTIONS,
                 "--connections", CONNECTIONS, "--seconds", seconds, "--loops", loops], cores)
        if figures["failures"]:
            raise ClientFailure(f"{loops} loops: {figures['failures']} calls failed")
        return {name: figures[name] for name in LOAD_FIGURES}

    def streams(self, client, path, in_flight, seconds):
        """Measures the cost and the delay of events that a server sends at a fixed rate."""
        program = "curl-baseline" if client == "curl" else "moya-bench"
        with EventServer(self.programs / "event-server", self.nginx.core, EVENTS_A_SECOND) as server:
            url = f"{server.url}/{path}"
            arguments = ["--in-flight", in_flight, "--connections", in_flight, "--seconds", seconds]
            if client == "curl":
                figures = self.figures(program, ["streams", url, *arguments, *self.field_arguments()])
            else:
                figures = self.figures(program, ["streams", "--url", url, *arguments])
        if figures["failures"]:
            raise ClientFailure(f"{client}: {figures['failures']} streams failed")
        return {name: figures[name] for name in LOAD_FIGURES}

    def stub(self):
        figures = self.figures("moya-bench", ["stub"])
        if failures := figures.pop("failures"):
            raise ClientFailure(f"stub: {failures:.0f} calls failed")
        return figures

    def parts(self):
        """Measures the parts around a call: logs, cookies, forms, fields."""
        figures = self.figures("moya-bench", ["parts"])
        if failures := figures.pop("failures"):
            raise ClientFailure(f"parts: {failures:.0f} calls failed")
        return figures

    def progress(self):
        """Measures what a progress closure adds to the download of a megabyte."""
        figures = self.figures("moya-bench", ["progress", "--url", self.nginx.urls["http1"]])
        if failures := figures.pop("failures"):
            raise ClientFailure(f"progress: {failures:.0f} calls failed")
        if figures["events"] < 2:
            raise ClientFailure(f"progress: {figures['events']:.1f} events a call")
        return figures

    def idle(self, client):
        return self.figures("moya-bench", ["idle", "--client", client, "--url", self.nginx.urls["http1"]])

    def transfer(self, client, direction):
        url, copy = self.nginx.urls["http1"], self.nginx.directory / f"{direction}.bin"
        sent = self.nginx.directory / "uploads" / "sent"
        file = self.nginx.large_file if direction == "upload" else copy
        self.nginx.touch_memory()
        try:
            if client == "curl":
                path = "uploads/sent" if direction == "upload" else "large"
                figures = self.figures(
                    "curl-baseline", [direction, f"{url}/{path}", "--file", file, *self.field_arguments()])
            else:
                figures = self.figures("moya-bench", [direction, "--url", url, "--file", file])
            moved = figures.pop("bytes")
            if direction == "upload":
                # The server's file: a client knows only what it should have sent.
                moved = sent.stat().st_size if sent.exists() else 0
            if moved != self.nginx.large_bytes:
                raise ClientFailure(f"{client} {direction}: {moved:.0f} bytes moved")
            return figures
        finally:
            copy.unlink(missing_ok=True)
            sent.unlink(missing_ok=True)

    def cache(self):
        """Answers of each kind of cache, and calls to the server, one after the other in one process, and 1 GiB."""
        file = self.nginx.directory / f"cached-{uuid.uuid4()}"
        figures = {}
        for arguments in (
            ["cache", "--client", "small", "--url", self.nginx.urls["http1"], "--connections", CONNECTIONS],
            ["cache", "--client", "megabyte"],
            ["cache-download", "--file", file],
        ):
            for line in self.run("moya-bench", arguments).splitlines():
                title, _, _ = line.partition(" ")
                values = json.loads(line[line.index("{"):])
                figures |= {f"{title.removeprefix('small/')}/{name}": value for name, value in values.items()}
        return figures

    def waiting(self, client, calls):
        with SilentServer() as server:
            server.expect(calls)
            url = f"http://127.0.0.1:{server.port}"
            arguments = ["--in-flight", calls, "--connections", calls]
            if client == "curl":
                command = self.command("curl-baseline", ["waiting", f"{url}/small", *arguments, *self.field_arguments()])
            else:
                command = self.command("moya-bench", ["waiting", "--client", client, "--url", url, *arguments])
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            try:
                if not server.all_wait.wait(LIMIT_SECONDS):
                    raise ClientFailure(f"{client}: {server.waiting} of {calls} calls came in {LIMIT_SECONDS} s")
                output, _ = process.communicate("\n", timeout=LIMIT_SECONDS)
            finally:
                process.kill()
                process.wait()
        figures = json.loads(output)
        return {"kibibytesACall": figures["kibibytes"] / figures["calls"]}

    def field_arguments(self):
        return [argument for field in self.fields for argument in ("--field", field)]

    def command(self, program, arguments, cores=None):
        return [*pinned_to(*(cores or [self.core])), self.programs / program, *map(str, arguments)]

    def figures(self, program, arguments, cores=None):
        output = self.run(program, arguments, cores)
        try:
            return json.loads(output)
        except ValueError:
            raise ClientFailure(f"{program} {arguments[0]} printed {output!r}") from None

    def run(self, program, arguments, cores=None):
        # A download is first a temporary file; moving it to another file system would copy it.
        environment = {**os.environ, "TMPDIR": str(self.nginx.directory)}
        title = " ".join([program, *map(str, arguments[:3])])
        try:
            done = subprocess.run(
                self.command(program, arguments, cores), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS, env=environment)
        except subprocess.TimeoutExpired:
            raise ClientFailure(f"{title}: no end after {LIMIT_SECONDS} s") from None
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[0]
            raise ClientFailure(f"{title}: status {done.returncode}: {last}")
        return done.stdout
