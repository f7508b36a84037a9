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
CACHED = {"cache": True}
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


def long(session=None, **call):
    return order(session, {"processor": 1, "memory": 64}, **call)


def then(first, **call):
    return first | {"calls": [*first["calls"], {"url": URL} | call]}


# Fields that must be parsed in linear time: the response, the order, and the outcome, which shows that the field was
# read to its end.
# libcurl refuses a longer field without parsing it.
LONG = 90_000
BASIC, FRESH = "Basic realm=r", "Cache-Control: max-age=100"
KEPT = ("Set-Cookie: c=d", "Set-Cookie: a=b")
FIELDS = {
    "WWW-Authenticate of commas": (
        response(b"ok", "WWW-Authenticate: " + "," * LONG + BASIC, status="401 U"), long(user="u"),
        '401 "ok" | 2 requests'),
    "WWW-Authenticate of quotes": (
        response(b"ok", 'WWW-Authenticate: a b="' + '\\"' * (LONG // 2) + '", ' + BASIC, status="401 U"),
        long(user="u"), '401 "ok" | 2 requests'),
    "WWW-Authenticate of schemes": (
        response(b"ok", "WWW-Authenticate: " + "a, " * (LONG // 3) + BASIC, status="401 U"), long(user="u"),
        '401 "ok" | 2 requests'),
    "WWW-Authenticate of parameters": (
        response(b"ok", "WWW-Authenticate: a " + "a=b, " * (LONG // 5) + BASIC, status="401 U"), long(user="u"),
        '401 "ok" | 2 requests'),
    "Set-Cookie of semicolons": (
        response(b"ok", *KEPT, "Set-Cookie: a=b" + ";" * LONG + "Max-Age=0"), long(times=2),
        '2 x 200 "ok" | Cookie: c=d'),
    "Set-Cookie of attributes": (
        response(b"ok", "Set-Cookie: a=b" + "; Path=/x" * (LONG // 9) + "; Path=/"), long(times=2),
        '2 x 200 "ok" | Cookie: a=b'),
    # The parser of cookies ignores an attribute of more than 1,024 bytes.
    "Set-Cookie of a date": (
        response(b"ok", *KEPT, *["Set-Cookie: a=b; Expires=" + "1 " * 480 + "00:00:00 Jan 1980"] * (LONG // 1_000)),
        long(times=2), '2 x 200 "ok" | Cookie: c=d'),
    "Set-Cookie of labels": (
        response(b"ok", "Set-Cookie: c=d", *["Set-Cookie: a=b; Domain=" + "a." * 490 + "com"] * (LONG // 1_000)),
        long(times=2), '2 x 200 "ok" | Cookie: c=d'),
    "Content-Type of parameters": (
        response("ok".encode("utf-16-be"), "Content-Type: text/plain" + "; a=b" * (LONG // 5) + "; charset=utf-16be"),
        long(kind="string"), '200 "ok" | 1 requests'),
    "Content-Disposition of parameters": (
        response(b"ok", "Content-Disposition: attachment" + "; filename*0=b" * (LONG // 14) + "; filename=end"),
        long(kind="download", path="$DIR/place/", options=["folders"]), "200 2 bytes | end"),
    "Cache-Control of directives": (
        response(b"ok", "Cache-Control: " + "a=1," * (LONG // 4) + "max-age=100"), long(session=CACHED, times=2),
        '2 x 200 "ok" | 1 requests'),
    "Vary of names": (
        response(b"ok", FRESH, "Vary: " + "a," * (LONG // 2) + "X-Own"),
        then(long(session=CACHED, times=2), headers=[["X-Own", "b"]]), '2 x 200 "ok"; 200 "ok" | 2 requests'),
    # libcurl refuses more than five codings.
    "Content-Encoding of commas": (
        response(gzip.compress(b"ok"), "Content-Encoding: " + "," * LONG + "gzip"), long(), '200 "ok" | 1 requests'),
    # One version of libcurl ignores zeros before a number, and another refuses them.
    "Content-Length of zeros": (
        HEAD + b"Content-Length: " + b"0" * LONG + b"2\r\n\r\nok", long(),
        re.compile(r'(200 "ok"|error protocolViolation) \| 1 requests')),
    # The second redirect to the same URL is the last.
    "Location of dots": (
        response(b"ok", "Location: /" + "../" * (LONG // 3) + "end", status="302 F"), long(),
        "error URLError -1007 | 3 requests"),
    "Location of escapes": (
        response(b"ok", "Location: /" + "%41" * (LONG // 3), status="302 F"), long(),
        "error URLError -1007 | 3 requests"),
    # Without the field, the call would be made again.
    "Retry-After of digits": (
        response(b"ok", "Retry-After: " + "9" * LONG, status="503 S"),
        long(verb="set", name="RetryMiddleware.longestRetryAfter") | {"value": "60"}, "503 | 1 requests"),
    "No-Vary-Search of names": (
        response(b"ok", FRESH, "No-Vary-Search: params=(" + '"b" ' * (LONG // 4) + '"a")'),
        then(long(session=CACHED), url=URL + "?a=1"), '200 "ok"; 200 "ok" | 1 requests'),
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
    for name, (data, ordered, expected) in FIELDS.items():
        yield Case(3, name, ordered, expected, (answers(data),), effect(name))
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


def effect(name):
    """What a long field has caused: the cookie of the last request, the name of a file, or the number of requests."""
    if "Cookie" in name:
        return lambda scene: f"Cookie: {scene.requests[-1].value('Cookie')}"
    if "Disposition" in name:
        return lambda scene: " ".join(file.name for file in (scene.folder / "place").iterdir())
    return lambda scene: f"{len(scene.requests)} requests"


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
