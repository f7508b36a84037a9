"""An HTTP/2 server over TLS that misbehaves on command, on a free port of 127.0.0.1 and, if available, ::1.

    streams.py CERTIFICATE KEY

It prints "ready PORT", then reads lines, and answers each with the same line. A line sets the behaviour of every later
stream, for any request:

    answer          200 and "whole", once the head of the request has arrived
    measured        the same, with a Content-Length
    trailers        the same as "answer", and then the trailers "digest: abc" and "x-count: 3"
    last            the same as "answer", and then a limit of no streams on its connection
    silence         nothing, and its connection sends nothing from then on
    reset CODE      200 and "half", without a length; then, after "go", RST_STREAM with that error code
    goaway CODE     the same, then GOAWAY with that error code, and the end of the connection
    close           the same, then the end of the connection
    oversized       the same, then a frame that is longer than the client accepts

The line "go" resumes the waiting streams. The server ends at the end of standard input.
"""

import errno
import socket
import ssl
import struct
import sys
import threading

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
END_STREAM = ACK = 1
END_HEADERS = 4
MAX_CONCURRENT_STREAMS = 3
# `:status: 200` in the static table (RFC 7541 appendix A).
STATUS_200 = b"\x88"
# Literals without indexing (RFC 7541 section 6.2.2); `content-length` is in the static table.
LENGTH_5 = b"\x0f\x0d\x015"
TRAILERS = b"\x00\x06digest\x03abc\x00\x07x-count\x013"


class Behaviour:
    """The behaviour of streams that begin now."""

    words = ["answer"]
    go = threading.Event()


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


class Connection(threading.Thread):
    def __init__(self, plain, context):
        super().__init__(daemon=True)
        self.plain, self.context = plain, context
        self.stream, self.is_silent, self.is_over = None, False, False
        self.has_greeted = False

    def run(self):
        try:
            with self.context.wrap_socket(self.plain, server_side=True) as self.stream:
                self.serve()
        except OSError:
            pass

    def serve(self):
        self.read(24)
        while not self.is_over:
            head = self.read(9)
            length, kind, flags, stream = int.from_bytes(head[:3], "big"), head[3], head[4], struct.unpack("!I", head[5:])[0]
            self.take(kind, flags, stream, self.read(length))

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.stream.recv(count - len(data))
            if not piece:
                raise OSError("the client has gone")
            data += piece
        return data

    def send(self, *frames):
        if self.is_silent:
            return
        if not self.has_greeted:
            self.has_greeted = True
            frames = (frame(SETTINGS), *frames)
        self.stream.sendall(b"".join(frames))

    def take(self, kind, flags, stream, payload):
        if kind == SETTINGS and not flags & ACK:
            if Behaviour.words != ["silence"]:
                self.send(frame(SETTINGS, ACK))
        elif kind == PING and not flags & ACK:
            self.send(frame(PING, ACK, payload=payload))
        elif kind == HEADERS:
            self.behave(stream, *Behaviour.words)

    def behave(self, stream, word, code="0"):
        if word == "answer":
            return self.send(frame(HEADERS, END_HEADERS, stream, STATUS_200), frame(DATA, END_STREAM, stream, b"whole"))
        if word == "measured":
            return self.send(
                frame(HEADERS, END_HEADERS, stream, STATUS_200 + LENGTH_5), frame(DATA, END_STREAM, stream, b"whole"))
        if word == "trailers":
            return self.send(
                frame(HEADERS, END_HEADERS, stream, STATUS_200), frame(DATA, 0, stream, b"whole"),
                frame(HEADERS, END_HEADERS | END_STREAM, stream, TRAILERS))
        if word == "status":
            return self.send(
                frame(HEADERS, END_HEADERS, stream, STATUS_200),
                frame(HEADERS, END_HEADERS | END_STREAM, stream, TRAILERS))
        if word == "last":
            return self.send(
                frame(HEADERS, END_HEADERS, stream, STATUS_200), frame(DATA, END_STREAM, stream, b"whole"),
                frame(SETTINGS, payload=struct.pack("!HI", MAX_CONCURRENT_STREAMS, 0)))
        if word == "silence":
            self.is_silent = True
            return None
        self.send(frame(HEADERS, END_HEADERS, stream, STATUS_200), frame(DATA, 0, stream, b"half"))
        Behaviour.go.wait()
        error = struct.pack("!I", int(code))
        if word == "reset":
            self.send(frame(RST_STREAM, 0, stream, error))
        elif word == "oversized":
            self.send(frame(DATA, 0, stream, bytes(1 << 20)))
        else:
            self.is_over = True
            if word == "goaway":
                self.send(frame(GOAWAY, payload=struct.pack("!I", stream) + error))
        return None


def listening():
    """Sockets on one port of every available loopback address."""
    while True:
        sockets = [socket.create_server(("127.0.0.1", 0))]
        port = sockets[0].getsockname()[1]
        try:
            sockets.append(socket.create_server(("::1", port), family=socket.AF_INET6))
        except OSError as failure:
            if failure.errno == errno.EADDRINUSE:
                sockets[0].close()
                continue
        return port, sockets


def accept(listener, context):
    while True:
        Connection(listener.accept()[0], context).start()


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    context.set_alpn_protocols(["h2"])
    port, listeners = listening()
    for listener in listeners:
        threading.Thread(target=accept, args=(listener, context), daemon=True).start()
    print(f"ready {port}", flush=True)
    for line in sys.stdin:
        if line.strip() == "go":
            Behaviour.go.set()
        else:
            Behaviour.words = line.split()
            Behaviour.go.clear()
        print(line.strip(), flush=True)


if __name__ == "__main__":
    main()
