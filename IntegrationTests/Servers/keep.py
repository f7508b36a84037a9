"""Runs a server for a test: starts, signals and stops it on command, and stops it at the end of standard input.

    keep.py PORT COMMAND [ARGUMENT...]

It reads lines and answers each with one; with "failed REASON" if the command fails.

    start          starts the command: "ready" once the port accepts connections
    signal NAME    sends the signal: "sent"
    refused        "refused" once the port no longer accepts connections
    stop NAME      sends the signal: "stopped" once the process has ended
"""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

PATIENCE_SECONDS = 15
# The signal that stops nginx and Apache including their workers.
LAST_SIGNAL = signal.SIGTERM


class Failure(Exception):
    pass


class Kept:
    def __init__(self, port, command):
        self.port, self.command, self.process = port, command, None
        # The reason for which the port took no connection, for messages.
        self.refusal = None

    def takes_connections(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError as error:
            self.refusal = error
            return False

    def state(self):
        """The state of the process and of its threads, the kernel's functions in which they wait, and its open files, for
        messages."""
        process = pathlib.Path(f"/proc/{self.process.pid}")
        try:
            tasks = ", ".join(
                (task / "stat").read_text().rpartition(")")[2].split()[0] + " " + (task / "wchan").read_text() + " "
                + (task / "syscall").read_text().strip() for task in (process / "task").iterdir())
            listening = [
                f"socket:[{fields[9]}] at {int(fields[1].rpartition(':')[2], 16)}"
                for fields in map(str.split, (process / "net" / "tcp").read_text().splitlines()[1:]) if fields[3] == "0A"]
            files = " ".join(f"{file.name}={os.readlink(file)}" for file in (process / "fd").iterdir())
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
            return f"{command}: {tasks}; {files}; of all, these listen: {', '.join(listening)}"
        except OSError as error:
            return repr(error)

    def wait(self, condition, title):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise Failure(
                    f"{title}: not within {PATIENCE_SECONDS} s; the port: {self.refusal!r}; the process: {self.state()}")
            time.sleep(0.005)

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=sys.stderr, start_new_session=True)

        def is_ready():
            if self.process.poll() is not None:
                raise Failure(f"{self.command[0]} ended with status {self.process.returncode}")
            return self.takes_connections()

        self.wait(is_ready, "start")
        return "ready"

    def signal(self, name):
        self.process.send_signal(signal.Signals[f"SIG{name}"])
        return "sent"

    def refused(self):
        self.wait(lambda: not self.takes_connections(), "refused")
        return "refused"

    def stop(self, name):
        self.signal(name)
        self.wait(lambda: self.process.poll() is not None, f"stop {name}")
        return "stopped"

    def end(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(LAST_SIGNAL)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def main():
    kept = Kept(int(sys.argv[1]), sys.argv[2:])
    # A child process inherits the blocked signals of the thread that starts it.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # Ctrl-C is handled by the tests, whose end ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        for line in sys.stdin:
            verb, *arguments = line.split()
            try:
                answer = getattr(kept, verb)(*arguments)
            except (Failure, OSError, AttributeError) as failure:
                answer = f"failed {failure}"
            print(answer, flush=True)
    finally:
        kept.end()


if __name__ == "__main__":
    main()
