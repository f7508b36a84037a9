"""Servers on free loopback ports that send exactly the bytes of a case."""

import socket
import ssl
import struct
import threading
import time

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings

SILENCE = 20


class Request:
    """A received request, parsed strictly: only CRLF ends a line."""

    def __init__(self, head, body, connection):
        self.head, self.body, self.connection = head, body, connection
        lines = head.decode("latin-1").split("\r\n")
        self.line = lines[0]
        parts = self.line.split(" ")
        self.method, self.target = parts[0], parts[1] if len(parts) > 1 else ""
        self.fields = []
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.fields.append((name, value.strip()))

    def values(self, name):
        return [value for known, value in self.fields if known.lower() == name.lower()]

    def value(self, name):
        return ", ".join(self.values(name)) if self.values(name) else None


class Connection:
    """A connection to the program, with the received bytes."""

    def __init__(self, stream, server, number):
        self.stream, self.server, self.number = stream, server, number
        self.buffer = b""
        self.certificate = stream.getpeercert() if isinstance(stream, ssl.SSLSocket) else None

    def fill(self):
        piece = self.stream.recv(65536)
        self.server.received += piece
        self.buffer += piece
        return len(piece) > 0

    def request(self):
        """The next request, or None at the end of the connection."""
        while b"\r\n\r\n" not in self.buffer:
            if not self.fill():
                return None
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        request = Request(head, b"", self)
        if request.value("Expect"):
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if (request.value("Transfer-Encoding") or "").lower() == "chunked":
            request.body = self.chunks()
        else:
            length = int(request.value("Content-Length") or 0)
            while len(self.buffer) < length:
                if not self.fill():
                    break
            request.body, self.buffer = self.buffer[:length], self.buffer[length:]
        self.server.requests.append(request)
        return request

    def chunks(self):
        body = b""
        while True:
            while b"\r\n" not in self.buffer:
                if not self.fill():
                    return body
            line, _, self.buffer = self.buffer.partition(b"\r\n")
            size = int(line.split(b";")[0], 16)
            while len(self.buffer) < size + 2:
                if not self.fill():
                    return body
            body += self.buffer[:size]
            self.buffer = self.buffer[size + 2:]
            if size == 0:
                return body

    def send(self, data):
        self.stream.sendall(data)

    def reset(self):
        """Resets the connection."""
        self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.stream.close()

    def wait_for_end(self):
        while self.fill():
            pass


class Server:
    """Listens on a free port, and gives each connection to a handler in a new thread."""

    def __init__(self, handler, context, scene):
        self.handler, self.context, self.scene = handler, context, scene
        self.requests, self.received, self.connections = [], b"", 0
        self.certificates = []
        self.open = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                stream, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
                number = self.connections
                self.open.append(stream)
            threading.Thread(target=self.serve, args=(stream, number), daemon=True).start()

    def serve(self, stream, number):
        try:
            stream.settimeout(SILENCE)
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.context:
                stream = self.context.wrap_socket(stream, server_side=True)
                with self.lock:
                    self.open.append(stream)
                self.certificates.append(stream.getpeercert())
            connection = Connection(stream, self, number)
            self.handler(connection)
            try:
                stream.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        except (OSError, ValueError, h2.exceptions.ProtocolError):
            pass
        finally:
            stream.close()

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for stream in list(self.open):
            try:
                stream.close()
            except OSError:
                pass


# Handlers of HTTP/1.1.

def response(body=b"ok", *fields, status="200 OK"):
    """A complete response with its length."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def answers(*responses):
    """Answers each request of a connection with the next response, and later ones with the last."""
    def handle(connection):
        index = 0
        while connection.request():
            connection.send(responses[min(index, len(responses) - 1)])
            index += 1
    return handle


def by_request(choose):
    """Answers each request with the result of a function; None closes the connection."""
    def handle(connection):
        while request := connection.request():
            data = choose(request)
            if data is None:
                return
            connection.send(data)
    return handle


def once(data, then=None):
    """Sends bytes after the first request of the first connection and closes it; answers later connections correctly."""
    def handle(connection):
        if not connection.request():
            return
        if connection.number > 1:
            connection.send(response(b"sound"))
            return answers(response(b"sound"))(connection)
        for piece in data if isinstance(data, list) else [data]:
            connection.send(piece)
        if then:
            then(connection)
    return handle


def kept(data):
    """Sends bytes after the first request of the first connection, keeps it open, and answers its later requests."""
    def handle(connection):
        first = True
        while connection.request():
            connection.send(data if first and connection.number == 1 else response(b"sound"))
            first = False
    return handle


# TLS.

def tls(name="good-ec", protocols=("http/1.1",), asks=False, version=None):
    """Makes the TLS context of a server by its certificate's name."""
    def make(certificates):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # The server offers what the client has to refuse.
        context.set_ciphers("ALL:@SECLEVEL=0")
        if version:
            context.maximum_version = version
        context.load_cert_chain(certificates / "servers" / f"{name}.pem", certificates / "servers" / f"{name}.key")
        context.set_alpn_protocols(list(protocols))
        if asks:
            context.verify_mode = ssl.CERT_OPTIONAL
            context.load_verify_locations(certificates / "root.pem")
        return context
    return make


# HTTP/2.

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS = 1, 4
LARGEST_WINDOW = (1 << 31) - 1


def frame(kind, flags, stream, payload=b""):
    """The bytes of a frame (RFC 9113 section 4.1)."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class HTTP2:
    """An HTTP/2 connection that reads by h2, and writes by h2 or raw bytes."""

    def __init__(self, connection):
        self.connection, self.number = connection, connection.number
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(
            client_side=False, header_encoding="latin-1", validate_outbound_headers=False,
            normalize_outbound_headers=False))
        self.count = 0

    def flush(self):
        self.connection.send(self.h2.data_to_send())

    def raw(self, data):
        self.flush()
        self.connection.send(data)

    def block(self, *fields):
        """Encodes a header block, which changes the table of h2."""
        return self.h2.encoder.encode([(name, value) for name, value in fields])

    def headers(self, stream, *fields, status="200", end=False):
        flags = END_HEADERS | (END_STREAM if end else 0)
        self.raw(frame(HEADERS, flags, stream, self.block((":status", status), *fields)))

    def data(self, stream, body, end=False):
        self.raw(frame(DATA, END_STREAM if end else 0, stream, body))

    def answer(self, stream, body=b"sound"):
        self.headers(stream, ("content-length", str(len(body))))
        self.data(stream, body, end=True)


def http2(respond, settings=None, preface=None, pause=0):
    """Handles an HTTP/2 connection; `respond(connection, stream)` is called for each complete request.

    With a pause in seconds before each reading, the client's kernel holds most of a large body for a long time.
    """
    def handle(connection):
        spoken = HTTP2(connection)
        if pause:
            connection.stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 17)
        if settings and connection.number == 1:
            spoken.h2.local_settings.update(settings)
        spoken.h2.initiate_connection()
        if preface and connection.number == 1:
            spoken.connection.send(preface)
        else:
            if pause:
                spoken.h2.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: LARGEST_WINDOW})
                spoken.h2.increment_flow_control_window(LARGEST_WINDOW - 65535)
            spoken.flush()
        while connection.fill():
            time.sleep(pause)
            data, connection.buffer = connection.buffer, b""
            try:
                events = spoken.h2.receive_data(data)
            except h2.exceptions.ProtocolError:
                return
            for event in events:
                if isinstance(event, h2.events.RequestReceived):
                    lines = "\r\n".join(f"{name}: {value}" for name, value in event.headers)
                    connection.server.requests.append(Request(
                        f"HTTP/2\r\n{lines}".encode("latin-1"), b"", connection))
                    spoken.count += 1
                if isinstance(event, h2.events.DataReceived):
                    spoken.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                if isinstance(event, h2.events.StreamEnded):
                    if respond(spoken, event.stream_id) == "close":
                        spoken.flush()
                        return
            try:
                spoken.flush()
            except h2.exceptions.ProtocolError:
                return
    return handle
