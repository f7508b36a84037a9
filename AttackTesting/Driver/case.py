"""A case: an order for moya-attack, servers that misbehave, and what has to come of it."""

import dataclasses
import json
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import typing

from .servers import Server

FAMILIES = {
    1: "requests",
    2: "answers",
    3: "resources",
    4: "settings",
    5: "trust",
    6: "credentials",
    7: "logs",
    8: "files",
    9: "cookies",
}


@dataclasses.dataclass
class Case:
    """One row of a table.

    family    number of the family
    name      unique within the family
    order     the order for moya-attack; $A and $B are ports, $DIR is an empty folder, $CERTS holds certificates
    expected  the exact text, or a compiled pattern that matches the whole of it
    servers   handlers of connections, one for each port, or pairs of a handler and a TLS context's maker
    observe   adds what the servers or the disk have seen to what the program has printed
    prepare   makes files in $DIR beforehand
    known     the reason why a case does not hold, where that cannot be mended
    """

    family: int
    name: str
    order: dict
    expected: typing.Any
    servers: tuple = ()
    observe: typing.Callable | None = None
    prepare: typing.Callable | None = None
    known: str | None = None
    seconds: float = 15

    @property
    def title(self):
        return f"{FAMILIES[self.family]}/{self.name}"

    @property
    def wanted(self):
        return self.expected.pattern if isinstance(self.expected, re.Pattern) else self.expected

    def holds(self, seen):
        if isinstance(self.expected, re.Pattern):
            return self.expected.fullmatch(seen) is not None
        return self.expected == seen


class Scene:
    """The servers, the folder and the certificates of a running case."""

    def __init__(self, case, certificates):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="moya-attack-"))
        (self.folder / "tmp").mkdir()
        self.certificates = certificates
        self.servers = []
        for server in case.servers:
            handler, context = server if isinstance(server, tuple) else (server, None)
            self.servers.append(Server(handler, context(certificates) if context else None, self))

    @property
    def requests(self):
        """The requests that every server has read, in the order in which they came."""
        return [request for server in self.servers for request in server.requests]

    def filled_in(self, value):
        """Replaces the names of ports and folders in an order."""
        if isinstance(value, dict):
            return {self.filled_in(key): self.filled_in(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.filled_in(item) for item in value]
        if not isinstance(value, str) or "$" not in value:
            return value
        for letter, server in zip("ABC", self.servers):
            if value == f"${letter}":
                return server.port
            value = value.replace(f"${letter}", str(server.port))
        return value.replace("$DIR", str(self.folder)).replace("$CERTS", str(self.certificates))

    def close(self):
        for server in self.servers:
            server.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def run(case, program, certificates):
    """Runs a case in a new process and returns the text to compare."""
    scene = Scene(case, certificates)
    try:
        if case.prepare:
            case.prepare(scene)
        seen = outcome(case, scene, program)
        if case.observe:
            seen += " | " + case.observe(scene)
        return seen
    finally:
        scene.close()


def outcome(case, scene, program):
    environment = {
        "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(scene.folder), "TMPDIR": str(scene.folder / "tmp"),
        "SWIFT_BACKTRACE": "enable=no",
    }
    process = subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=scene.folder,
        env=environment)
    try:
        output, errors = process.communicate(
            json.dumps(scene.filled_in(case.order)).encode() + b"\n", timeout=case.seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"no end within {case.seconds} s"
    if process.returncode < 0:
        reason = errors.decode(errors="replace").strip().splitlines()[:1]
        return f"stopped by {signal.Signals(-process.returncode).name} {''.join(reason)}".rstrip()
    lines = output.decode(errors="replace").splitlines()
    return lines[-1] if lines else f"nothing, and status {process.returncode}"
