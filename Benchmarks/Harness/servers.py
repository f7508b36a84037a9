"""The servers of a run: nginx on a dedicated core, an event server, and a silent server."""

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
    """Loads Scripts/with-servers as a module, which starts and stops servers."""
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
    """Raises the limit for this process and its children: 10,000 connections need twice as many descriptors."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


class Nginx:
    """nginx with a temporary directory, which is in memory if the large files fit."""

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
        # It holds the file, its uploaded copy, and the client's download.
        if memory.is_dir() and shutil.disk_usage(memory).free > 4 * self.large_bytes:
            return memory
        cache = ROOT / ".cache"
        cache.mkdir(exist_ok=True)
        return cache

    def start(self):
        for name in ("temporary", "uploads"):
            (self.directory / name).mkdir()
        block = os.urandom(1 << 20)
        self.megabyte_file.write_bytes(block)
        with open(self.large_file, "wb") as file:
            for _ in range(self.large_bytes >> 20):
                file.write(block)
        with_servers.run_script("make-certificates.sh", self.directory / "certificates")
        ports = dict(zip(PROTOCOLS, with_servers.free_ports(len(PROTOCOLS))))
        words = {f"{name.upper()}_PORT": str(port) for name, port in ports.items()}
        words |= {"SMALL": small_answer(), "LARGE": str(self.large_file), "DIRECTORY": str(self.directory)}
        words["MEGABYTE"] = str(self.megabyte_file)
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
    def megabyte_file(self):
        return self.directory / "megabyte.bin"

    @property
    def authority(self):
        return self.directory / "certificates" / "ca.pem"

    def touch_memory(self):
        """Allocates the pages for a large file, so that no client is measured while it allocates them."""
        touched = self.directory / "touched.bin"
        block = bytes(1 << 20)
        with open(touched, "wb", buffering=0) as file:
            for _ in range(self.large_bytes >> 20):
                file.write(block)
        touched.unlink()

    @contextlib.contextmanager
    def on_cores(self, cores):
        """Runs the server on other cores within a `with` block."""
        process = self.server.process.pid
        own = os.sched_getaffinity(process)
        os.sched_setaffinity(process, cores)
        try:
            yield
        finally:
            os.sched_setaffinity(process, own)


class EventServer:
    """The program event-server on a dedicated core, which sends each client events at a fixed rate."""

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
    """Accepts connections, never answers, and counts those that have sent a request."""

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
        # Only the first bytes of a connection are read.
        selector.unregister(connection)
        with contextlib.suppress(OSError):
            if connection.recv(65536):
                self.waiting += 1
        if self.waiting == self.expected:
            self.all_wait.set()


def pinned_to(*cores):
    return ["taskset", "--cpu-list", ",".join(map(str, cores))]
