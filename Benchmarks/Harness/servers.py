"""The servers of a run: nginx on a core of its own, one that streams events, and one that answers nothing."""

import contextlib
import importlib.machinery
import importlib.util
import os
import pathlib
import resource
import selectors
import shutil
import socket
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "Benchmarks"
SMALL_BYTES = 196
PROTOCOLS = ("http1", "https1", "http2")


def load_with_servers():
    """Scripts/with-servers, which knows how to start a server and to stop exactly that one."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("with_servers", str(ROOT / "Scripts" / "with-servers"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("with_servers", loader))
    loader.exec_module(module)
    return module


with_servers = load_with_servers()


def small_answer():
    head, tail = '{"login": "octocat", "id": 583231, "filler": "', '"}'
    return head + "x" * (SMALL_BYTES - len(head) - len(tail)) + tail


def raise_descriptor_limit():
    """For this process, and so for those that it starts: 10,000 connections are twice as many descriptors."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


class Nginx:
    """nginx, with a directory of its own, in memory where there is room for the large files."""

    def __init__(self, core, large_bytes):
        self.core, self.large_bytes = core, large_bytes

    def __enter__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="moya-bench-", dir=self.parent()))
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if hasattr(self, "server"):
            self.server.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def parent(self):
        memory = pathlib.Path("/dev/shm")
        # The file, the upload that nginx writes of it, and the client's download.
        if memory.is_dir() and shutil.disk_usage(memory).free > 4 * self.large_bytes:
            return memory
        cache = ROOT / ".cache"
        cache.mkdir(exist_ok=True)
        return cache

    def start(self):
        for name in ("temporary", "uploads"):
            (self.directory / name).mkdir()
        with open(self.large_file, "wb") as file:
            block = os.urandom(1 << 20)
            for _ in range(self.large_bytes >> 20):
                file.write(block)
        with_servers.run_script("make-certificates.sh", self.directory / "certificates")
        ports = dict(zip(PROTOCOLS, with_servers.free_ports(len(PROTOCOLS))))
        words = {f"{name.upper()}_PORT": str(port) for name, port in ports.items()}
        words |= {"SMALL": small_answer(), "LARGE": str(self.large_file), "DIRECTORY": str(self.directory)}
        for name in ("nginx.conf", "locations.conf"):
            text = (BENCHMARKS / name).read_text()
            for word, value in words.items():
                text = text.replace(f"@{word}@", value)
            (self.directory / name).write_text(text)
        self.server = with_servers.Server(
            "nginx",
            [*pinned_to(self.core), with_servers.find("nginx"), "-p", f"{self.directory}/", "-c",
             self.directory / "nginx.conf"],
            self.directory / "nginx.log", ports["http1"], "/small")
        self.server.wait_until_ready()
        self.urls = {
            "http1": f"http://127.0.0.1:{ports['http1']}",
            "https1": f"https://localhost:{ports['https1']}",
            "http2": f"https://localhost:{ports['http2']}",
        }

    @property
    def large_file(self):
        return self.directory / "large.bin"

    @property
    def authority(self):
        return self.directory / "certificates" / "ca.pem"

    def touch_memory(self):
        """Has the host give the pages that a large file will take: the first to use them would pay for that alone."""
        touched = self.directory / "touched.bin"
        block = bytes(1 << 20)
        with open(touched, "wb", buffering=0) as file:
            for _ in range(self.large_bytes >> 20):
                file.write(block)
        touched.unlink()

    def processor_seconds(self):
        """What nginx has used of its core; a server that is busy all the time is the limit of every client."""
        fields = pathlib.Path(f"/proc/{self.server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class EventServer:
    """event-server on a core of its own, which sends each client so many events a second."""

    def __init__(self, program, core, rate):
        self.program, self.core, self.rate = program, core, rate

    def __enter__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="moya-bench-"))
        port, = with_servers.free_ports(1)
        self.url = f"http://127.0.0.1:{port}"
        try:
            self.server = with_servers.Server(
                "event-server", [*pinned_to(self.core), self.program, str(port), str(self.rate)],
                self.directory / "log", port)
            self.server.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if hasattr(self, "server"):
            self.server.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


class SilentServer:
    """Takes connections, reads what is sent, answers nothing, and knows how many have asked for something."""

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.waiting = 0
        self.all_wait = threading.Event()
        self.expected = None
        self.stopping, self.stopped = socket.socketpair()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        return self

    def expect(self, count):
        self.expected = count
        self.thread.start()

    def __exit__(self, *_):
        self.stopping.close()
        if self.thread.is_alive():
            self.thread.join()
        self.listener.close()
        self.stopped.close()

    def serve(self):
        with selectors.DefaultSelector() as selector, contextlib.ExitStack() as connections:
            selector.register(self.listener, selectors.EVENT_READ)
            selector.register(self.stopped, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self.stopped:
                        return
                    if key.fileobj is self.listener:
                        self.accept(selector, connections)
                    else:
                        self.read(selector, key.fileobj)

    def accept(self, selector, connections):
        with contextlib.suppress(BlockingIOError):
            while True:
                connection, _ = self.listener.accept()
                connection.setblocking(False)
                connections.enter_context(connection)
                selector.register(connection, selectors.EVENT_READ, data=None)

    def read(self, selector, connection):
        # The first bytes count; what follows, and the end, are of no interest.
        selector.unregister(connection)
        with contextlib.suppress(OSError):
            if connection.recv(65536):
                self.waiting += 1
        if self.waiting == self.expected:
            self.all_wait.set()


def pinned_to(core):
    return ["taskset", "--cpu-list", str(core)]
