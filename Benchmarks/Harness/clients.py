"""Runs one client once, and returns the figures that it prints."""

import json
import math
import os
import subprocess

from figures import LOAD_FIGURES
from servers import EventServer, SilentServer, pinned_to

# In the order of what is added from one to the next.
CLIENTS = {
    "curl": "(a) libcurl in C",
    "wire": "(b) MoyaCurl bare",
    "completion": "(c) completion",
    "await": "(d) await",
    "deadline": "(d+) await, a deadline",
    "decoded": "(e) await, decoded",
    "furnished": "(f) furnished",
    "urlsession": "(g) URLSession",
}
# Calls beyond these wait for one, as in an app, which has a handful; told apart from WIDE, a connection for each call.
CONNECTIONS = 64
WIDE = "http1wide"
# libcurl puts at most 100 streams on a connection; 64, so that every number in flight fills its connections.
STREAMS_A_CONNECTION = 64
LIMIT_SECONDS = 60
STREAMS, EVENTS_A_SECOND = 1000, 100


class ClientFailure(Exception):
    """A client did not do what it was asked to; the text says which and why."""


class CannotBeMeasured(Exception):
    """A client has no way to do this; the text says why."""


def connections(protocol, in_flight):
    if protocol == "http2":
        return math.ceil(in_flight / STREAMS_A_CONNECTION)
    return in_flight if protocol == WIDE else min(in_flight, CONNECTIONS)


class Clients:
    def __init__(self, programs, core, nginx):
        self.programs, self.core, self.nginx = programs, core, nginx
        self.fields = self.run("moya-bench", ["fields"]).splitlines()

    def load(self, client, protocol, in_flight, seconds):
        server = "http1" if protocol == WIDE else protocol
        if client == "urlsession" and server != "http1":
            raise CannotBeMeasured("URLSession trusts the system's certificate authorities alone on Linux")
        arguments = ["--in-flight", in_flight, "--connections", connections(protocol, in_flight), "--seconds", seconds]
        if server != "http1":
            arguments += ["--ca", self.nginx.authority]
        if server == "http2":
            arguments += ["--http2"]
        url = self.nginx.urls[server]
        if client == "curl":
            figures = self.figures("curl-baseline", ["load", f"{url}/small", *arguments, *self.field_arguments()])
        else:
            figures = self.figures("moya-bench", ["load", "--client", client, "--url", url, *arguments])
        if figures["failures"]:
            raise ClientFailure(f"{client}: {figures['failures']} calls went wrong")
        return {name: figures[name] for name in LOAD_FIGURES}

    def streams(self, client, path, in_flight, seconds):
        """Events of a server that sends them at its own pace: what each takes, and how late it is."""
        program = "curl-baseline" if client == "curl" else "moya-bench"
        with EventServer(self.programs / "event-server", self.nginx.core, EVENTS_A_SECOND) as server:
            url = f"{server.url}/{path}"
            arguments = ["--in-flight", in_flight, "--connections", in_flight, "--seconds", seconds]
            if client == "curl":
                figures = self.figures(program, ["streams", url, *arguments, *self.field_arguments()])
            else:
                figures = self.figures(program, ["streams", "--url", url, *arguments])
        if figures["failures"]:
            raise ClientFailure(f"{client}: {figures['failures']} streams went wrong")
        return {name: figures[name] for name in LOAD_FIGURES}

    def stub(self):
        figures = self.figures("moya-bench", ["stub"])
        if failures := figures.pop("failures"):
            raise ClientFailure(f"stub: {failures:.0f} calls went wrong")
        return figures

    def parts(self):
        """What a call has around it: logs, cookies, forms, fields, progress."""
        return self.figures("moya-bench", ["parts"])

    def idle(self, client):
        return self.figures("moya-bench", ["idle", "--client", client, "--url", self.nginx.urls["http1"]])

    def transfer(self, client, direction):
        url, copy = self.nginx.urls["http1"], self.nginx.directory / f"{direction}.bin"
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
            if moved != self.nginx.large_bytes:
                raise ClientFailure(f"{client} {direction}: {moved:.0f} bytes moved")
            return figures
        finally:
            copy.unlink(missing_ok=True)
            (self.nginx.directory / "uploads" / "sent").unlink(missing_ok=True)

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

    def command(self, program, arguments):
        return [*pinned_to(self.core), self.programs / program, *map(str, arguments)]

    def figures(self, program, arguments):
        output = self.run(program, arguments)
        try:
            return json.loads(output)
        except ValueError:
            raise ClientFailure(f"{program} {arguments[0]} printed {output!r}") from None

    def run(self, program, arguments):
        # Downloads begin as temporary files: on another file system than where they end, moving one is copying it.
        environment = {**os.environ, "TMPDIR": str(self.nginx.directory)}
        what = " ".join([program, *map(str, arguments[:3])])
        try:
            done = subprocess.run(
                self.command(program, arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS, env=environment)
        except subprocess.TimeoutExpired:
            raise ClientFailure(f"{what}: no end after {LIMIT_SECONDS} s") from None
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[0]
            raise ClientFailure(f"{what}: status {done.returncode}: {last}")
        return done.stdout
