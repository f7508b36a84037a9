"""A case: an order for moya-attack, misbehaving servers, and the expected outcome."""

import ctypes
import dataclasses
import functools
import json
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
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


UNREACHED = " | no server was reached"
# Under load a call may end late; any other wrong outcome, and any of these, is wrong whenever it occurs.
LATE = re.compile(r"no end within|timeout|, late,|of processor time")
NEVER = re.compile(r"stopped by|; inherited|HALF|INJECTED")


@dataclasses.dataclass
class Case:
    """One row of a table.

    family    number of the family
    name      unique within the family
    order     the order for moya-attack; $A and $B are ports, $DIR is an empty folder, $CERTS holds certificates
    expected  the exact output, or a compiled pattern that matches the whole output
    servers   connection handlers, one per port, or pairs of a handler and a function that makes a TLS context
    observe   adds observations of the servers or the disk to the program's output
    prepare   makes files in $DIR before the run
    known     the reason why a case fails, if it cannot be fixed
    room      the size of the file system that is mounted at $DIR/place, in the notation of tmpfs, such as 1m
    reaches   False if the program may end without a connection to a server
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
    room: str | None = None
    reaches: bool = True

    @property
    def title(self):
        return f"{FAMILIES[self.family]}/{self.name}"

    @property
    def wanted(self):
        return self.expected.pattern if isinstance(self.expected, re.Pattern) else self.expected

    def holds(self, seen):
        if seen.endswith(UNREACHED):
            return False
        if isinstance(self.expected, re.Pattern):
            return self.expected.fullmatch(seen) is not None
        return self.expected == seen

    def may_be_late(self, seen):
        """True for an outcome that a loaded machine explains."""
        return LATE.search(seen) is not None and NEVER.search(seen) is None


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
        """The requests that each server has read, in order."""
        return [request for server in self.servers for request in server.requests]

    def filled_in(self, value):
        """Replaces the placeholders of ports and folders in an order."""
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
    if case.room and case.known:
        return case.known
    scene = Scene(case, certificates)
    try:
        if case.prepare:
            case.prepare(scene)
        seen = outcome(case, scene, program)
        if case.observe:
            try:
                seen += " | " + case.observe(scene)
            except Exception as error:
                # There is nothing to observe, such as a second request.
                seen += f" | {error!r}"
        if case.reaches and case.servers and not any(server.connections for server in scene.servers):
            seen += UNREACHED
        return seen
    finally:
        scene.close()


# The processes of the running cases, and whether they have to end.
RUNNING = set()
ENDING = threading.Event()


def end_running_cases():
    ENDING.set()
    for process in list(RUNNING):
        process.kill()


def outcome(case, scene, program):
    environment = {
        "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(scene.folder), "TMPDIR": str(scene.folder / "tmp"),
        "SWIFT_BACKTRACE": "enable=no",
    }
    command = [program]
    if case.room:
        (scene.folder / "place").mkdir()
        command = mounting(scene.folder / "place", case.room, program)
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=scene.folder,
        env=environment)
    RUNNING.add(process)
    try:
        if ENDING.is_set():
            process.kill()
        output, errors = process.communicate(
            json.dumps(scene.filled_in(case.order)).encode() + b"\n", timeout=case.seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"no end within {case.seconds} s"
    finally:
        process.kill()
        RUNNING.discard(process)
    if process.returncode < 0:
        reason = errors.decode(errors="replace").strip().splitlines()[:1]
        return f"stopped by {signal.Signals(-process.returncode).name} {''.join(reason)}".rstrip()
    lines = output.decode(errors="replace").splitlines()
    return lines[-1] if lines else f"nothing, and status {process.returncode}"


def mounting(folder, size, *command):
    """The command, where a small file system is mounted at a folder; nobody else sees it."""
    script = 'mount -t tmpfs -o "size=$1,mode=700" tmpfs "$2" && shift 2 && exec "$@"'
    return ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", size, folder, *command]


@functools.cache
def mount_refusal():
    """The reason why no file system can be mounted here; None where one can."""
    with tempfile.TemporaryDirectory(prefix="moya-attack-") as folder:
        try:
            done = subprocess.run(mounting(folder, "64k", "true"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        except FileNotFoundError:
            return "not run: there is no unshare"
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        return None if done.returncode == 0 else f"not run: a file system cannot be mounted here: {reason}"


@functools.cache
def ntlm_refusal():
    """The reason why no client answers NTLM here; None where libcurl does."""
    class VersionInfo(ctypes.Structure):
        _fields_ = [("age", ctypes.c_int), ("version", ctypes.c_char_p), ("number", ctypes.c_uint),
                    ("host", ctypes.c_char_p), ("features", ctypes.c_int)]

    try:
        library = ctypes.CDLL("libcurl.so.4")
    except OSError as error:
        return f"not run: {error}"
    library.curl_version_info.restype = ctypes.POINTER(VersionInfo)
    # CURLVERSION_FIRST and CURL_VERSION_NTLM.
    has_ntlm = library.curl_version_info(0).contents.features & 1 << 4
    return None if has_ntlm else "not run: this libcurl has no NTLM"
