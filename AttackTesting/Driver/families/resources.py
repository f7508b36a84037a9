"""Family 3: memory, descriptors, CPU time and stack are bounded."""

import gzip
import re
import struct
import threading
import time

from . import files
from ..case import Case
from ..servers import (
    CONTINUATION, DATA, END_HEADERS, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS, WINDOW_UPDATE, answers,
    by_request, frame, http2, response, tls)

OK = '200 "ok"'
URL = "http://127.0.0.1:$A/"
SECURE = {"authorities": "$CERTS/root.pem"}
HEAD = b"HTTP/1.1 200 OK\r\n"
MODEST = {"memory": 48, "processor": 2}
FAILED = re.compile(r"error (protocolViolation|reset|truncated|timeout total|other)")


def order(session=None, limits=None, verb="call", name=None, **call):
    return {"verb": verb, "name": name, "session": {"total": 6} | (session or {}), "limits": limits,
            "calls": [{"url": URL} | call]}


def endless(start, piece, seconds=5):
    """Sends a start, and then pieces until the client disconnects."""
    def handle(connection):
        if not connection.request():
            return
        connection.send(start)
        deadline = time.monotonic() + seconds
        block = piece * max(1, 65536 // len(piece))
        while time.monotonic() < deadline:
            connection.send(block)
    return handle


def slowly(data, pause=0.05):
    def handle(connection):
        if connection.request():
            for index in range(len(data)):
                connection.send(data[index:index + 1])
                time.sleep(pause)
    return handle


# Endless input: a start, and the bytes that are repeated.
ENDLESS = {
    "fields": (HEAD, b"X-A: b\r\n"), "cookies": (HEAD, b"Set-Cookie: a=b\r\n"),
    "a field's value": (HEAD + b"X-A: ", b"b"), "a field's name": (HEAD, b"b"), "a status line": (b"HTTP/1.1 200 ", b"O"),
    "folded lines": (HEAD + b"X-A: b\r\n", b" b\r\n"), "interim answers": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"),
    "empty interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "line ends": (b"", b"\r\n"), "spaces": (b"", b" "),
    "trailers": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-A: b\r\n"),
    "a trailer": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX-A: ", b"b"),
    "a chunk's extension": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;a=", b"b"),
    "a chunk's size": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
}

# Frames that a server sends endlessly on an HTTP/2 connection.
FLOODS = {
    "PING": frame(PING, 0, 0, b"12345678"), "SETTINGS": frame(SETTINGS, 0, 0), "unknown frames": frame(200, 0, 0, b"x"),
    "SETTINGS that change": frame(SETTINGS, 0, 0, struct.pack(">HI", 1, 0) + struct.pack(">HI", 1, 4096)),
    "PRIORITY": frame(PRIORITY, 0, 1, b"\0\0\0\0\1"), "WINDOW_UPDATE": frame(WINDOW_UPDATE, 0, 1, b"\0\0\0\1"),
    "empty DATA": frame(DATA, 0, 1), "padding": frame(DATA, 8, 1, b"\xc8" + b"\0" * 200),
    "RST_STREAM of others": frame(RST_STREAM, 0, 2, b"\0\0\0\0"), "interim answers": None, "CONTINUATION": None,
}

# Fields that must be parsed in linear time.
# libcurl refuses a longer field without parsing it.
LONG = 90_000
FIELDS = {
    "WWW-Authenticate of commas": "WWW-Authenticate: Basic " + "," * LONG,
    "WWW-Authenticate of quotes": 'WWW-Authenticate: Basic a="' + '\\"' * (LONG // 2),
    "WWW-Authenticate of schemes": "WWW-Authenticate: " + "a " * (LONG // 2),
    "WWW-Authenticate of parameters": "WWW-Authenticate: Basic " + "a=b," * (LONG // 4),
    "Set-Cookie of semicolons": "Set-Cookie: a=b" + ";" * LONG,
    "Set-Cookie of attributes": "Set-Cookie: a=b" + "; Domain=a" * (LONG // 10),
    "Set-Cookie of a date": "Set-Cookie: a=b; Expires=" + "1 " * (LONG // 2),
    "Set-Cookie of labels": "Set-Cookie: a=b; Domain=" + "a." * (LONG // 2),
    "Content-Type of parameters": "Content-Type: text/plain" + "; a=b" * (LONG // 5),
    "Content-Disposition of parameters": "Content-Disposition: attachment" + "; filename*0=b" * (LONG // 14),
    "Cache-Control of directives": "Cache-Control: " + "max-age=1," * (LONG // 10),
    "Vary of names": "Vary: " + "a," * (LONG // 2),
    "Content-Encoding of codings": "Content-Encoding: " + "identity," * (LONG // 9),
    "Content-Length of zeros": "X-Content-Length: " + "0" * LONG,
    "Location of dots": "Location: /" + "../" * (LONG // 3),
    "Location of escapes": "Location: /" + "%41" * (LONG // 3),
    "Retry-After of digits": "Retry-After: " + "9" * LONG,
    "Link of URLs": "Link: " + "<a>," * (LONG // 4),
}

ENCODERS = (
    "URLEncoding", "URLEncoding.httpBody", "JSONEncoding", "JSONEncoding.object", "URLEncodedFormParameterEncoder",
    "JSONParameterEncoder", "JSONParameterEncoder.sortedKeys", "JSONParameterEncoder.foundation", "Endpoint",
    "Endpoint.encodable", "Endpoint.snakeCase",
)
# Readers: the outcome of few levels, the largest accepted number of them, and the outcome of more.
READERS = {
    "mapJSON": ("ended with JSON", 512, "error jsonMapping"),
    "map": ("ended with Deep", 512, "error DecodingError"),
    "propertyList": ("ended with Deep", 512, "error decodingFailed"),
    "map.keyPath": ("ended with 1", 256, "error jsonMapping"),
    "map.missingKeyPath": ("error jsonMapping", 512, "error jsonMapping"),
    "mapString.keyPath": ("error stringMapping", 512, "error jsonMapping"),
    "log": ("ended with bytes", 512, "ended with bytes"),
    "log.xml": ("ended with bytes", 512, "ended with bytes"),
    "log.strings": ("ended with bytes", 512, "ended with bytes"),
}


def cases():
    for name, (start, piece) in ENDLESS.items():
        # libcurl skips a chunk extension of any length: the deadline bounds it.
        limits = {"memory": 48} if name == "a chunk's extension" else MODEST
        yield Case(3, f"endless {name}", order({"total": 2} if limits != MODEST else None, limits), FAILED,
                   (endless(start, piece),))
        if name in ("fields", "trailers", "interim answers"):
            yield Case(3, f"endless {name}, download", order(limits=MODEST, kind="download"), FAILED,
                       (endless(start, piece),))
    for count, expected in ((900, OK), (1_001, "error protocolViolation"), (20_000, "error protocolViolation")):
        yield Case(3, f"{count} fields", order(limits=MODEST), expected,
                   (answers(response(b"ok", *(f"X-A{number}: b" for number in range(count)))),))
    for size, expected in ((90_000, OK), (300_000, re.compile("error (protocolViolation|other)"))):
        yield Case(3, f"a field of {size} bytes", order(limits=MODEST), expected,
                   (answers(response(b"ok", "X-A: " + "b" * size)),))
    yield Case(3, "a head byte by byte", order({"total": 1}), "error timeout total", (slowly(response(b"ok" * 50)),))
    yield Case(3, "a body byte by byte", order({"total": 1}), "error timeout total",
               (answers_slowly,))
    yield Case(3, "silence", order({"idle": 1}), "error timeout idle", (lambda connection: connection.wait_for_end(),))
    yield Case(3, "silence in TLS", order(SECURE | {"connect": 1}, url="https://good-ec.localhost:$A/"),
               "error timeout connect", (lambda connection: connection.wait_for_end(),))

    # Bodies that are much larger than their encoded form, or than memory.
    bomb = gzip.compress(b"\0" * (128 << 20), 9)
    yield Case(3, "a bomb of gzip, download", order(limits={"memory": 48}, kind="download"), "200 134217728 bytes",
               (answers(response(bomb, "Content-Encoding: gzip")),))
    yield Case(3, "a bomb in a bomb, download", order(limits={"memory": 48}, kind="download"), "200 134217728 bytes",
               (answers(response(gzip.compress(bomb, 9), "Content-Encoding: gzip, gzip")),))
    # Eight gigabytes in some twenty thousand bytes, and eight gigabytes of blocks that code nothing: no clock stops.
    blocks = b"\x1f\x8b\x08" + b"\0" * 7 + b"\0\0\0\xff\xff" * (8 << 20) + b"\x01\0\0\xff\xff" + b"\0" * 8
    for name, layer in (("zeros", b"\0" * (64 << 20)), ("nothing", blocks)):
        nested = gzip.compress(gzip.compress(layer, 9) * 128, 9)
        codings = "gzip, gzip" + (", gzip" if layer is blocks else "")
        yield Case(3, f"a bomb of {name} in one piece", order({"total": 1}, MODEST, kind="download"),
                   "error timeout total", (answers(response(nested, f"Content-Encoding: {codings}")),))
    # By default, a response in memory is limited, and counted after decoding.
    yield Case(3, "a bomb of gzip", order(limits={"memory": 320}), f"error responseTooLarge {256 << 20}",
               (answers(response(gzip.compress(b"\0" * (300 << 20), 9), "Content-Encoding: gzip")),))
    for name, start in (("", HEAD + b"\r\n"), (" in chunks", HEAD + b"Transfer-Encoding: chunked\r\n\r\n")):
        piece = b"1000\r\n" + b"a" * 4096 + b"\r\n" if name else b"a" * 4096
        for kind in ("data", "download"):
            yield Case(3, f"an endless body{name}, the call's limit, {kind}",
                       order(limits=MODEST, kind=kind, maximumBytes=1_000_000), "error responseTooLarge 1000000",
                       (endless(start, piece),))
        yield Case(3, f"an endless body{name}, the session's limit", {
            "verb": "set", "name": "maximumResponseBytes", "value": "1000000", "calls": [{"url": URL}], "limits": MODEST},
            "error responseTooLarge 1000000", (endless(start, piece),))
    yield Case(3, "a long body, download", order(limits={"memory": 48}, kind="download"), "200 134217728 bytes",
               (answers(response(b"a" * (128 << 20))),))
    yield Case(3, "a length that is not there", order(limits=MODEST), f"error responseTooLarge {256 << 20}",
               (once_cut(b"HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\na"),))
    yield Case(3, "a length that is not there, download", order(limits=MODEST, kind="download"),
               re.compile("error (truncated|protocolViolation)"),
               (once_cut(b"HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\na"),))
    yield Case(3, "an upload of a large file", order(limits={"memory": 48}, kind="file", path="$DIR/large"), OK,
               (swallowing,),
               prepare=lambda scene: (scene.folder / "large").write_bytes(b"a" * (64 << 20)))

    # HTTP/2.
    for name, data in FLOODS.items():
        yield Case(3, f"HTTP/2, endless {name}",
                   order(SECURE | {"total": 3}, {"memory": 48, "processor": 4}, url="https://good-ec.localhost:$A/"),
                   re.compile(rf'({FAILED.pattern}|200 "")'), ((flooding(name, data), tls(protocols=("h2",))),), seconds=20)

    def unpacking(connection, stream):
        # One field of 4,000 bytes in the table, and a byte for each of its repetitions.
        block = b"\x88" + b"\x40\x01a\x7f\xa1\x1e" + b"b" * 4_000 + b"\xbe" * 12_000
        connection.raw(frame(HEADERS, END_HEADERS, stream, block))
    for kind in ("data", "download"):
        yield Case(3, f"a bomb of HPACK, {kind}",
                   order(SECURE | {"total": 3}, {"memory": 48, "processor": 2}, url="https://good-ec.localhost:$A/", kind=kind),
                   FAILED, ((http2(unpacking), tls(protocols=("h2",))),))

    # Input whose processing could take more than linear time.
    for name, field in FIELDS.items():
        status = "401 U" if "WWW" in name else "302 F" if "Location" in name else "503 S" if "Retry" in name else "200 OK"
        yield Case(3, name, order(limits={"processor": 1, "memory": 64}, user="u", password="p"),
                   re.compile(r'([0-9]{3} "ok"|error [a-zA-Z0-9 -]+)'), (answers(response(b"ok", field, status=status)),))
    yield Case(3, "challenges without an end", order(user="u", password="p"),
               re.compile(r'(401 ""|error protocolViolation) \| at most 10 requests'), (by_request(lambda request: response(
                   b"", f'WWW-Authenticate: Digest realm="r", nonce="{time.monotonic()}", stale=true', status="401 U")),),
               lambda scene: "at most 10 requests" if len(scene.requests) <= 10 else f"{len(scene.requests)} requests")

    # Descriptors.
    for name, session, call, server in (
        ("http", {}, {}, answers(response())), ("download", {}, {"kind": "download"}, answers(response())),
        ("https", SECURE, {"url": "https://good-ec.localhost:$A/"}, (answers(response()), tls())),
        ("a file", {}, {"kind": "file", "path": "$DIR/sent"}, answers(response())),
        ("a name that is resolved", {}, {"url": "http://a.localhost:$A/"}, answers(response())),
    ):
        if name == "http":
            yield Case(3, "libcurl's own descriptors are not inherited after a call", order(verb="inherit", name="pairs", **call),
                       f"{OK}; none inherited", (server,))
        make = lambda scene: (scene.folder / "sent").write_text("sent")
        fine = "200 2 bytes" if name == "download" else OK
        yield Case(3, f"none is inherited, {name}", order(session, verb="inherit", **call, times=20),
                   f"20 x {fine}; none inherited", (server,), prepare=make)
        for start in ("cold", "warm"):
            prefix = "" if start == "cold" else f"{fine}; "
            # An open connection needs no further descriptor, except for a file.
            starved = rf"(error [a-zA-Z0-9 -]+|{re.escape(fine)}), at once, idle"
            yield Case(3, f"none is left, {name}, {start}", order(session, verb="starve", name=start, **call),
                       re.compile(re.escape(prefix) + starved + "; " + re.escape(fine)), (server,), prepare=make)
    def inner(verb, **more):
        return {"verb": "inherit", "inner": verb} | more
    identity = {"chain": "$DIR/chain.pem", "key": "$CERTS/clients/client.key"}
    long_parts = [{"name": "a", "file": "$DIR/part"}]
    # A larger file is open for longer: PEM allows other text before its blocks.
    long_chain = lambda scene: (scene.folder / "chain.pem").write_bytes(
        b"text\n" * 100_000 + (scene.certificates / "clients" / "client.pem").read_bytes())
    for name, ordered, expected, server, make in (
        ("a cache", inner("cache", path="$DIR/cache", value="http://127.0.0.1:$A", count=60), "0 wrong, faults: 0, kept",
         by_request(files.repeated), None),
        ("a store of tokens", inner("file", name="race", path="$DIR/place", count=1000), "raced", answers(), None),
        ("a form's file", order(verb="inherit", kind="form", parts=long_parts, times=20), f"20 x {OK}", answers(response()),
         lambda scene: (scene.folder / "part").write_bytes(b"a" * 300_000)),
        ("a form in a temporary file", order(verb="inherit", kind="form", parts=long_parts, times=2), f"2 x {OK}",
         swallowing_forms, lambda scene: (scene.folder / "part").write_bytes(b"a" * (12 << 20))),
        ("a client's identity", order(SECURE | {"identity": identity}, verb="inherit", url="https://good-ec.localhost:$A/") | {
            "count": 30}, OK, (answers(response()), tls(asks=True)), long_chain),
        ("resume data", inner("file", name="resume", path="-", calls=[{"url": URL}]), "resume data, modes 600", files.slow, None),
        ("a download that goes on", inner(
            "file", name="resume", place="again", path="-", session={"total": 8}, calls=[{"url": URL}]),
         "206 1000000 bytes of ab", files.SPLICED["the rest"][0], None),
    ):
        yield Case(3, f"none is inherited, {name}", ordered, f"{expected}; none inherited", (server,), prepare=make,
                   reaches=name != "a store of tokens")
    yield Case(3, "none is left, 200 calls", order(verb="starve", name="cold", times=200, parallel=True),
               re.compile(r'200 x error [a-zA-Z ]+, at once, idle; 200 "ok"'), (answers(response()),))
    yield Case(3, "2,000 calls with 64 descriptors", order(
        {"total": None}, {"openFiles": 64, "descriptors": 16}, times=2000, parallel=True), f"2000 x {OK}",
        (answers(response()),), seconds=20)
    yield Case(3, "1,000 calls that are broken off", order(
        {"total": None, "connections": 4}, {"descriptors": 16, "memory": 96}, times=1000, parallel=True),
        "1000 x error reset", (lambda connection: connection.request() and connection.reset(),), seconds=20)
    yield Case(3, "500 calls that are cancelled", order(
        {"total": None}, {"descriptors": 16}, times=500, parallel=True, cancelAfter=20),
        "500 x error explicitlyCancelled", (lambda connection: connection.wait_for_end(),), seconds=20)
    yield Case(3, "2,000 calls to a closed port", order(
        {"total": None}, {"descriptors": 16}, times=2000, parallel=True, url="http://127.0.0.1:9/"),
        "2000 x error connect", seconds=20)

    # The stack.
    for name in ENCODERS:
        for depth, shape in ((100, "lists"), (129, "objects"), (3_000, "lists"), (50_000, "objects")):
            expected = "ended with bytes" if depth == 100 else re.compile(r"error (NestingError|EncodingError)")
            yield Case(3, f"{name}, {depth} {shape}", {"verb": "nest", "name": name, "count": depth, "place": shape}, expected)
    for name, (few, deepest, many) in READERS.items():
        rows = [(depth, "objects") for depth in (100, deepest, deepest + 1, 5_000, 300_000)] + [(1_000_000, "lists")]
        if name == "map":
            rows += [(depth, "lists") for depth in (100, deepest, deepest + 1)]
        for depth, shape in rows:
            yield Case(3, f"{name}, {depth} {shape}",
                       {"verb": "nest", "name": name, "count": depth, "place": shape, "limits": {"processor": 3}},
                       few if depth <= deepest else many)


def answers_slowly(connection):
    if connection.request():
        connection.send(HEAD + b"Content-Length: 1000\r\n\r\n")
        while True:
            connection.send(b"a")
            time.sleep(0.05)


def swallowing(connection):
    """Reads and discards a body of 64 MiB, and answers."""
    count = 0
    while count < 64 << 20:
        count += len(data := connection.stream.recv(1 << 18))
        if not data:
            return
    connection.send(response())


def swallowing_forms(connection):
    """Answers each request, and keeps nothing of its body."""
    while True:
        while b"\r\n\r\n" not in connection.buffer:
            if not connection.fill():
                return
        head, _, connection.buffer = connection.buffer.partition(b"\r\n\r\n")
        left = int(re.search(rb"Content-Length: (\d+)", head)[1]) - len(connection.buffer)
        connection.buffer = b""
        while left > 0:
            left -= len(data := connection.stream.recv(1 << 18))
            if not data:
                return
        connection.send(response())


def once_cut(data):
    def handle(connection):
        if connection.request():
            connection.send(data)
    return handle


def flooding(name, data):
    """Sends frames endlessly, while a thread reads the client's frames."""
    def respond(connection, stream):
        if name == "interim answers":
            flood = frame(HEADERS, END_HEADERS, stream, b"\x08\x03103" + b"\x00\x01a\x01b")
            block = flood * 2000
        elif name == "CONTINUATION":
            connection.raw(frame(HEADERS, 0, stream, b"\x88"))
            block = frame(CONTINUATION, 0, stream, b"\x00\x01a\x01b" * 1000) * 10
        else:
            if "DATA" in name or name == "padding":
                connection.raw(frame(HEADERS, END_HEADERS, stream, b"\x88"))
            block = data * max(1, 65536 // len(data))
        threading.Thread(target=drain, args=(connection.connection,), daemon=True).start()
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            connection.connection.send(block)
        return "close"
    return http2(respond)


def drain(connection):
    try:
        while connection.stream.recv(65536):
            pass
    except OSError:
        pass
