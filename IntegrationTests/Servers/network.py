"""A separate network on this host: a caller, a name service, a cable that can be cut, and origin.py at its end.

    unshare --net --mount network.py DIRECTORY CALLER

    caller, 192.0.2.1 ----- cable ----- 192.0.2.2:8080, origin.py
    name service, 127.0.0.1:53

This process is the cable: it forwards packets between two TUN devices, and delays and drops them on command, which needs
no support by the kernel. DIRECTORY is for files that replace /etc/hosts, /etc/resolv.conf and /etc/nsswitch.conf. CALLER
is a program that makes the calls, and shares the standard output of this process.

It prints "ready" or "impossible REASON", then reads lines:

    call JSON           for the caller
    cable DELAY LOSS    forwards packets after DELAY milliseconds, and drops LOSS percent of them: "cable"
    cable cut           forwards none: "cable"
    netem DELAY LOSS    the same by the kernel's queueing discipline netem: "netem", or "impossible REASON"
    names none          the name service does not answer: "names"
    names slow          nor is that noticed before ten seconds: "names"
    names refuse        its port is closed: "names"
    names fail          it answers that it failed (SERVFAIL): "names"
    names unknown       it answers that there is no such name (NXDOMAIN): "names"
    names ADDRESS       it answers that every name has the address: "names"
    hosts NAME ADDRESS  /etc/hosts contains only this name from now on: "hosts"

The whole network ends at the end of standard input.
"""

import ctypes
import fcntl
import heapq
import os
import pathlib
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

SERVERS = pathlib.Path(__file__).resolve().parent
CALLERS_ADDRESS, ORIGINS_ADDRESS, ORIGINS_PORT = "192.0.2.1", "192.0.2.2", 8080
CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
TYPE_A = 1
SERVER_FAILURE, NO_SUCH_NAME = 2, 3


class Impossible(Exception):
    """This host does not allow an operation."""


def run(*command):
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    if done.returncode != 0:
        raise Impossible(f"{' '.join(command)}: {done.stdout.strip()}")


def make_device(name, address):
    """Makes a TUN device in the current namespace, and returns its descriptor."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
    fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    run("ip", "address", "add", f"{address}/24", "dev", name)
    run("ip", "link", "set", name, "up")
    return descriptor


class Cable(threading.Thread):
    """Forwards packets in both directions, in order."""

    def __init__(self, one, other):
        super().__init__(daemon=True)
        self.ends = {one: other, other: one}
        self.delay, self.loss, self.is_cut = 0.0, 0.0, False
        # Seeded, so that equal runs lose the same packets.
        self.chance = random.Random(15)
        self.under_way = []
        self.count = 0

    def run(self):
        while True:
            now = time.monotonic()
            while self.under_way and self.under_way[0][0] <= now:
                _, _, end, packet = heapq.heappop(self.under_way)
                self.deliver(end, packet)
            patience = self.under_way[0][0] - now if self.under_way else None
            for end in select.select(list(self.ends), [], [], patience)[0]:
                self.take(self.ends[end], os.read(end, 65536))

    def take(self, end, packet):
        if self.is_cut or self.chance.random() < self.loss:
            return
        self.count += 1
        heapq.heappush(self.under_way, (time.monotonic() + self.delay, self.count, end, packet))

    def deliver(self, end, packet):
        if not self.is_cut:
            os.write(end, packet)

    def set(self, *words):
        self.is_cut = words == ("cut",)
        if not self.is_cut:
            self.delay, self.loss = float(words[0]) / 1000, float(words[1]) / 100


class NameService(threading.Thread):
    """Answers every address query (RFC 1035) in the configured way."""

    def __init__(self):
        super().__init__(daemon=True)
        self.manner = "none"
        self.socket = self.listening()

    @staticmethod
    def listening():
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.bind(("127.0.0.1", 53))
        return one

    def run(self):
        while True:
            question, sender = self.socket.recvfrom(512)
            answer = self.answer(question)
            if answer is not None:
                self.socket.sendto(answer, sender)

    def answer(self, question):
        if self.manner in ("none", "slow", "refuse"):
            return None
        end = question.index(b"\0", 12) + 5
        kind = struct.unpack("!H", question[end - 4:end - 2])[0]
        code, addresses = 0, []
        if self.manner == "fail":
            code = SERVER_FAILURE
        elif self.manner == "unknown":
            code = NO_SUCH_NAME
        elif kind == TYPE_A:
            addresses = [socket.inet_aton(self.manner)]
        records = b"".join(b"\xc0\x0c" + struct.pack("!HHIH", TYPE_A, 1, 60, 4) + address for address in addresses)
        return (question[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(addresses), 0, 0) + question[12:end]
                + records)


class Network:
    def __init__(self, directory, caller):
        run("ip", "link", "set", "lo", "up")
        self.hosts_file = directory / "hosts"
        self.resolver_file = directory / "resolv.conf"
        self.hosts()
        self.names("none")
        (directory / "nsswitch.conf").write_text("hosts: files dns\n")
        for name in ("hosts", "resolv.conf", "nsswitch.conf"):
            run("mount", "--bind", str(directory / name), os.path.realpath(f"/etc/{name}"))
        self.service = NameService()
        self.service.start()
        one = make_device("caller", CALLERS_ADDRESS)
        self.caller = subprocess.Popen([caller], stdin=subprocess.PIPE, text=True)
        # From here on this process is in the namespace of the other end; open descriptors keep theirs.
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
            raise Impossible(f"unshare: {os.strerror(ctypes.get_errno())}")
        run("ip", "link", "set", "lo", "up")
        self.cable_itself = Cable(one, make_device("origin", ORIGINS_ADDRESS))
        self.cable_itself.start()
        self.origin = subprocess.Popen(
            [sys.executable, SERVERS / "origin.py", ORIGINS_ADDRESS, str(ORIGINS_PORT)], stdin=subprocess.DEVNULL)
        self.wait_for_origin()

    def wait_for_origin(self):
        deadline = time.monotonic() + 10
        while True:
            try:
                socket.create_connection((ORIGINS_ADDRESS, ORIGINS_PORT), timeout=1).close()
                return
            except OSError as failure:
                if time.monotonic() > deadline:
                    raise Impossible(f"origin.py does not answer: {failure}") from failure
                time.sleep(0.01)

    def call(self, *words):
        self.caller.stdin.write(" ".join(words) + "\n")
        self.caller.stdin.flush()

    def cable(self, *words):
        self.cable_itself.set(*words)
        return "cable"

    def netem(self, delay, loss):
        run("tc", "qdisc", "replace", "dev", "origin", "root", "netem", "delay", f"{delay}ms", "loss", f"{loss}%")
        return "netem"

    def names(self, manner):
        # 127.0.0.2 has no listener. The addresses are tried once, with the shortest timeout.
        server = "127.0.0.2" if manner == "refuse" else "127.0.0.1"
        timeout = 10 if manner == "slow" else 1
        self.resolver_file.write_text(f"nameserver {server}\noptions timeout:{timeout} attempts:1\n")
        if hasattr(self, "service"):
            self.service.manner = manner
        return "names"

    def hosts(self, *words):
        # Written in place, because the mount refers to this file, not to its name.
        lines = ["127.0.0.1 localhost"]
        if words:
            lines.append(f"{words[1]} {words[0]}")
        self.hosts_file.write_text("\n".join(lines) + "\n")
        return "hosts"

    def end(self):
        for process in (self.caller, self.origin):
            process.terminate()
            process.wait()


def main():
    # A child process inherits the blocked signals of the thread that starts it.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    try:
        network = Network(pathlib.Path(sys.argv[1]), sys.argv[2])
    except (Impossible, OSError) as failure:
        print(f"impossible {failure}".replace("\n", " "), flush=True)
        return
    print("ready", flush=True)
    for line in sys.stdin:
        verb, *words = line.split()
        try:
            answer = getattr(network, verb)(*words)
        except Impossible as failure:
            answer = f"impossible {failure}".replace("\n", " ")
        if answer is not None:
            print(answer, flush=True)
    network.end()


if __name__ == "__main__":
    main()
