"""Family 2: no bytes of a server become another response, and a truncated response is an error."""

import base64
import gzip
import re
import socket
import struct
import time
import zlib

from ..case import Case, ntlm_refusal
from ..servers import answers, kept, once, response, tls

OK, SOUND = '200 "ok"', '200 "sound"'
BROKEN = re.compile(r'error (protocolViolation|truncated|reset); 200 "sound"')
# Where versions of libcurl differ: one joins a folded line, or ignores zeros before a number, and another refuses both.
BROKEN_OR_READ = re.compile(rf'{BROKEN.pattern}|{OK}; {SOUND}')
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def twice(wait=None, kind=None, **call):
    first = {"url": "http://127.0.0.1:$A/", "kind": kind} | call
    second = {"url": "http://127.0.0.1:$A/"} | ({"wait": wait} if wait else {})
    return {"verb": "call", "session": {"http1": True, "connections": 1, "idle": 3}, "calls": [first, second]}


def exact(text):
    return f"{text}; {SOUND}"


# Heads and bodies that end the connection: the outcome of the first call; the next call gets a valid response.
CLOSING = {
    # The end of the body.
    "two lengths": (HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nok!", BROKEN),
    "two lengths in one": (HEAD + b"Content-Length: 2, 3\r\n\r\nok!", BROKEN),
    "negative length": (HEAD + b"Content-Length: -2\r\n\r\nok", BROKEN),
    "length with a sign": (HEAD + b"Content-Length: +2\r\n\r\nok", BROKEN),
    "hexadecimal length": (HEAD + b"Content-Length: 0x2\r\n\r\nok", BROKEN),
    "length of 2^64": (HEAD + b"Content-Length: 18446744073709551618\r\n\r\nok", BROKEN),
    "length of 2^63": (HEAD + b"Content-Length: 9223372036854775808\r\n\r\nok", BROKEN),
    "length of letters": (HEAD + b"Content-Length: two\r\n\r\nok", BROKEN),
    "empty length": (HEAD + b"Content-Length:\r\n\r\nok", BROKEN),
    "length with a space before the colon": (HEAD + b"Content-Length : 2\r\n\r\nok", BROKEN),
    "folded length": (HEAD + b"Content-Length:\r\n 2\r\n\r\nok", BROKEN_OR_READ),
    "coding with a space before the colon": (HEAD + b"Transfer-Encoding : chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", BROKEN),
    "folded coding": (HEAD + b"Transfer-Encoding:\r\n chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", BROKEN_OR_READ),
    "length beyond the body": (HEAD + b"Content-Length: 5\r\n\r\nok", BROKEN),
    "no length, cut": (HEAD + b"\r\nok", exact(OK)),
    "nothing": (b"", BROKEN),
    "half a status line": (b"HTTP/1.1 2", BROKEN),
    "half a head": (HEAD + b"Content-Le", BROKEN),
    "head without an end": (HEAD + b"Content-Length: 0\r\n", BROKEN),
    # Chunks.
    "chunk cut": (CHUNKED + b"5\r\nok", BROKEN),
    "no last chunk": (CHUNKED + b"2\r\nok\r\n", BROKEN),
    "last chunk cut": (CHUNKED + b"2\r\nok\r\n0\r\n", BROKEN),
    "chunk of no size": (CHUNKED + b"\r\nok\r\n0\r\n\r\n", BROKEN),
    "chunk of letters": (CHUNKED + b"zz\r\nok\r\n0\r\n\r\n", BROKEN),
    "negative chunk": (CHUNKED + b"-2\r\nok\r\n0\r\n\r\n", BROKEN),
    "chunk of 2^64": (CHUNKED + b"10000000000000002\r\nok\r\n0\r\n\r\n", BROKEN),
    "chunk of 17 digits": (CHUNKED + b"00000000000000002\r\nok\r\n0\r\n\r\n", BROKEN_OR_READ),
    "chunk longer than its size": (CHUNKED + b"1\r\nok\r\n0\r\n\r\n", BROKEN),
    "chunked twice": (HEAD + b"Transfer-Encoding: chunked, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", BROKEN),
    "unknown transfer coding": (HEAD + b"Transfer-Encoding: cow\r\n\r\nok", BROKEN),
    "chunked in two fields": (
        HEAD + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n2\r\nok\r\n0\r\n\r\n", exact(OK)),
    "gzip in chunks": (HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", BROKEN),
    "chunked with a parameter": (HEAD + b"Transfer-Encoding: chunked;q=1\r\n\r\n2\r\nok\r\n0\r\n\r\n", BROKEN),
    "length and chunks": (HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", exact(OK)),
    "chunks and length": (HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n", exact(OK)),
    "identity and length": (HEAD + b"Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok!",
                            re.compile(rf'{BROKEN.pattern}|200 "ok!?"; {SOUND}')),
    "chunked, identity": (HEAD + b"Transfer-Encoding: chunked, identity\r\n\r\n2\r\nok\r\n0\r\n\r\n", BROKEN_OR_READ),
    "chunks in two fields": (
        HEAD + b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", BROKEN_OR_READ),
    "chunks of HTTP/1.0": (b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", BROKEN_OR_READ),
    "a bare CR ends the chunk's size": (CHUNKED + b"2\rok\r\n0\r\n\r\n", BROKEN),
    # Versions and status codes.
    "HTTP/2 in letters": (b"HTTP/2 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", BROKEN),
    "mixed letters": (b"hTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "no reason": (b"HTTP/1.1 200\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", exact(OK)),
    "no status": (b"HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", BROKEN),
    "no version": (b"HTTP/ 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", BROKEN),
    "a version of letters": (b"HTTP/a.b 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", BROKEN_OR_READ),
    "a second status line of small letters": (
        b"HTTP/1.1 100 Continue\r\n\r\nhttp/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", BROKEN),
    "small letters": (b"http/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "a tab in the status line": (b"HTTP/1.1\t200\tOK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", BROKEN),
    "a space before the status line": (b" HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "line ends of CR alone": (b"HTTP/1.1 200 OK\rContent-Length: 2\r\rok", BROKEN),
    "a folded first line": (HEAD + b" X-A: b\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
                            re.compile('error (other|protocolViolation); 200 "sound"')),
    "an empty name": (HEAD + b": b\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", BROKEN_OR_READ),
    "a status of four digits": (b"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", BROKEN),
    "HTTP/0.9": (b"ok", BROKEN),
    "HTTP/3.7": (b"HTTP/3.7 200 OK\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "no digits": (b"HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "two digits": (b"HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "status 000": (b"HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "status 999": (b"HTTP/1.1 999 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", exact('999 "ok"')),
    "ICY": (b"ICY 200 OK\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "RTSP": (b"RTSP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "101 unasked": (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
                    BROKEN),
    # Fields.
    "HTTP/ as a field line": (HEAD + b"HTTP/1.1 500 No: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", exact(OK)),
    "HTTP/ as a trailer": (CHUNKED + b"2\r\nok\r\n0\r\nHTTP/1.1 500 No: a\r\n\r\n",
                           re.compile(rf'({OK}|error protocolViolation); {SOUND}')),
    "NUL in a value": (HEAD + b"X-A: a\0b\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "NUL in a name": (HEAD + b"X\0A: b\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "no colon": (HEAD + b"nonsense\r\nContent-Length: 2\r\n\r\nok", BROKEN),
    "LF alone": (b"HTTP/1.1 200 OK\nContent-Length: 2\nConnection: close\n\nok", exact(OK)),
    # Content codings.
    "gzip cut": (HEAD + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n" + gzip.compress(b"ok" * 500)[:-9],
                 exact("error truncated")),
    "gzip of half a trailer": (HEAD + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n" + gzip.compress(b"ok")[:-4],
                               exact("error contentDecoding")),
    "gzip cut, with its length": (
        response(gzip.compress(b"ok" * 500)[:-9], "Content-Encoding: gzip"), exact("error contentDecoding")),
    "gzip, wrong sum": (response(gzip.compress(b"ok")[:-8] + b"\0" * 8, "Content-Encoding: gzip"),
                        exact("error contentDecoding")),
    "gzip of nonsense": (response(b"nonsense", "Content-Encoding: gzip"), exact("error contentDecoding")),
    "deflate cut": (response(zlib.compress(b"ok" * 500)[:-6], "Content-Encoding: deflate"),
                    exact("error contentDecoding")),
    "brotli of nonsense": (response(b"\xff" * 40, "Content-Encoding: br"), exact("error contentDecoding")),
    "zstd of nonsense": (response(b"\xff" * 40, "Content-Encoding: zstd"), exact("error contentDecoding")),
    "gzip six times": (response(b"x", "Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip"),
                       exact("error contentDecoding")),
}

# Unknown codings: the body is delivered as received, with its field.
UNKNOWN = ("UTF-8", "binary", "aws-chunked", "compress", "none", "x-cow", "gzip, x-cow", "*")

# Bytes after a complete response, on a connection that stays open.
STRAY = {
    "another answer": response(b"forged"),
    "half another answer": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nforged",
    "a line end": b"\r\n",
    "nonsense": b"nonsense",
    "an interim answer": b"HTTP/1.1 100 Continue\r\n\r\n",
    "a timeout": response(b"late", status="408 Request Timeout"),
    "the rest of a longer body": b"more of the body",
    "one byte": b"H",
    "NUL": b"\0",
}


def late(data, milliseconds):
    """Sends a response and, after a delay, bytes without a request."""
    def handle(connection):
        if not connection.request():
            return
        if connection.number > 1:
            connection.send(response(b"sound"))
            return
        connection.send(response(b"ok"))
        time.sleep(milliseconds / 1000)
        connection.send(data)
        while connection.request():
            connection.send(response(b"sound"))
    return handle


def delayed(connection):
    """Answers the first request long after the client has abandoned it."""
    while connection.request():
        if connection.server.connections == 1:
            time.sleep(0.6)
            connection.send(response(b"late"))
        else:
            connection.send(response(b"sound"))


def early(connection):
    """Answers each request after its head, and reads the body afterwards."""
    while b"\r\n\r\n" not in connection.buffer:
        if not connection.fill():
            return
    connection.send(response(b"ok" if connection.buffer.startswith(b"POST") else b"sound"))
    while connection.request():
        if connection.server.requests[-1].method == "GET":
            connection.send(response(b"sound"))


def answering_early(status):
    """Answers the first request after its head, and reads on as if its body came."""
    def handle(connection):
        if connection.number > 1:
            return early(connection)
        while b"\r\n\r\n" not in connection.buffer:
            if not connection.fill():
                return
        connection.send(response(b"ok", status=status) if status[:3] != "204" else b"HTTP/1.1 204 No Content\r\n\r\n")
        while connection.fill():
            pass
    return handle


def connections(scene):
    return f"{scene.servers[0].connections} connections"


def unread(connection):
    """Does not read the body of the first request until its call has ended."""
    if connection.number > 1:
        return early(connection)
    time.sleep(0.4)
    while connection.request():
        connection.send(response(b"forged"))


def methods(scene):
    return ", ".join(f"{request.method} {len(request.body)}" for request in scene.requests)


def breaking(connection):
    connection.reset()


def cases():
    for name, (data, expected) in CLOSING.items():
        if "cut" in name and "gzip" in name or "deflate cut" in name:
            expected = re.compile(r'error (truncated|contentDecoding); 200 "sound"')
        yield Case(2, name, twice(), expected, (once(data),))
        # A download must not keep a truncated file either.
        if expected not in (BROKEN_OR_READ, exact(OK)) and ("chunk" in name or "length beyond" in name or "gzip" in name):
            pattern = expected.pattern if isinstance(expected, re.Pattern) else re.escape(expected)
            yield Case(2, f"{name}, download", twice(kind="download", path="$DIR/got"),
                       re.compile(pattern + r" \| no file"), (once(data),),
                       lambda scene: "a file" if (scene.folder / "got").exists() else "no file")
    for name in UNKNOWN:
        yield Case(2, f"Content-Encoding: {name}", twice(shows=["Content-Encoding"]),
                   f'200 "ok" Content-Encoding={name}; {SOUND}', (once(response(b"ok", f"Content-Encoding: {name}")),))
    for name in ("a\rSet-Cookie: b", "a\rX-B: c", "\r", "a\x0bb", "a\x7fb", "a\x01b"):
        yield Case(2, f"value {name!r}", twice(shows=["X-A", "X-B", "Set-Cookie"]),
                   re.compile(r'(200 "ok" X-A=[^\\]* X-B=none Set-Cookie=none|error protocolViolation); 200 "sound"'),
                   (once(response(b"ok", f"X-A: {name}")),))
    for name, data in STRAY.items():
        yield Case(2, f"behind the answer: {name}", twice(wait=150), exact(OK), (kept(response(b"ok") + data),))
        yield Case(2, f"while idle: {name}", twice(wait=300), exact(OK), (late(data, 100),))
    for method in ("HEAD", "GET"):
        status = "204 No Content" if method == "GET" else "200 OK"
        yield Case(2, f"a body that {method} {status[:3]} has not", twice(wait=150, method=method),
                   exact(f'{status[:3]} ""'), (kept(response(b"forged", status=status)),))
        yield Case(2, f"an answer in the body that {method} {status[:3]} has not", twice(wait=150, method=method),
                   exact(f'{status[:3]} ""'), (kept(response(response(b"forged"), status=status)),))
    yield Case(2, "304 with a body", twice(wait=150), exact('304 ""'),
               (kept(response(response(b"forged"), status="304 Not Modified")),))
    yield Case(2, "an answer after its call's deadline", twice(total=0.3), exact("error timeout total"), (delayed,))
    yield Case(2, "an answer after its call's end", twice(cancelAfter=200), exact("error explicitlyCancelled"), (delayed,))
    yield Case(2, "an answer after its call's deadline, the connection idle", twice(wait=700, total=0.3),
               exact("error timeout total"), (delayed,))
    yield Case(2, "an answer before the body was sent", twice(kind="upload", body="b" * 3_000_000),
               re.compile(rf'({OK}|error (protocolViolation|truncated|reset)); {SOUND} \| (POST [0-9]+, )?GET 0'),
               (early,), methods)
    yield Case(2, "a call that ends in its body", twice(kind="upload", body="b" * 30_000_000, cancelAfter=150),
               re.compile(r'error explicitlyCancelled; 200 "sound" \| (POST [0-9]+, )?GET 0'), (unread,), methods)
    # The body waits for a 100, and the next request must not be taken for it.
    for status in ("200 OK", "201 Created", "202 Accepted", "204 No Content"):
        for size in (30, 3_000_000):
            yield Case(2, f"{status} instead of 100 Continue, {size} bytes",
                       twice(kind="upload", body="b" * size, method="POST", headers=[["Expect", "100-continue"]]),
                       re.compile(rf'{status[:3]} "[a-z]*"; {SOUND} \| 2 connections'), (answering_early(status),), connections)
    yield Case(2, "reset in the body", twice(), BROKEN, (once(HEAD + b"Content-Length: 9\r\n\r\nok", breaking),))
    yield Case(2, "reset without length", twice(), BROKEN, (once(HEAD + b"\r\nok", breaking),))
    yield Case(2, "reset in the chunks", twice(), BROKEN, (once(CHUNKED + b"2\r\nok\r\n", breaking),))
    yield Case(2, "TLS without close_notify, no length", {
        "verb": "call", "session": {"authorities": "$CERTS/root.pem", "http1": True},
        "calls": [{"url": "https://good-ec.localhost:$A/"}]}, re.compile(r"error (truncated|reset|protocolViolation)"),
        ((cutting(), tls()),))
    yield Case(2, "TLS of a proxy without close_notify, no length", {
        "verb": "call", "calls": [{"url": "http://a.test/"}], "session": {
            "authorities": "$CERTS/root.pem", "http1": True,
            "proxy": {"kind": "https", "host": "good-ec.localhost", "port": "$A"}}},
        re.compile(r"error (truncated|reset|protocolViolation)"), ((cutting(), tls()),))
    for coding in ("identity", "", "gzip", "identity, gzip", "x-chunked", "chunked;q=1", "identity chunked"):
        yield Case(2, f"TLS without close_notify, the transfer coding {coding or 'empty'}", {
            "verb": "call", "session": {"authorities": "$CERTS/root.pem", "http1": True},
            "calls": [{"url": "https://good-ec.localhost:$A/"}]}, re.compile(r"error (truncated|reset|protocolViolation)"),
            ((cutting(f"Transfer-Encoding: {coding}"), tls()),))

    for name, data in CONNECT_ANSWERS.items():
        yield Case(2, f"CONNECT answered by {name}", {
            "verb": "call", "session": {"proxy": {"port": "$A"}, "idle": 2},
            "calls": [{"url": "https://a.test/", "user": "u", "password": "p"}]},
            re.compile(r"error [a-zA-Z ]+ \| asked for a tunnel alone"), (forged_by_proxy(data),),
            lambda scene: "asked for a tunnel alone" if scene.requests and all(
                request.method == "CONNECT" and not request.value("Authorization") and not
                request.value("Proxy-Authorization") for request in scene.requests) else "asked for more")
    for name, message in NTLM_MESSAGES.items():
        yield Case(2, f"NTLM, {name}", {
            "verb": "call", "session": {"idle": 2}, "calls": [{"url": "http://127.0.0.1:$A/", "user": "u", "password": "p"}]},
            re.compile(r'(401 "no"|error [a-zA-Z ]+) \| 2 to 10 requests'), (ntlm(message),),
            lambda scene: "2 to 10 requests" if 2 <= len(scene.requests) <= 10 else f"{len(scene.requests)} requests",
            known=ntlm_refusal())
    for name, (greeting, reply) in SOCKS.items():
        yield Case(2, f"SOCKS, {name}", {
            "verb": "call", "session": {"proxy": {"kind": "socks5", "port": "$A"}, "idle": 2, "connect": 2},
            "calls": [{"url": "http://a.test/"}]}, re.compile(r"error [a-zA-Z ]+"), (socks(greeting, reply),))
    for name, parameters in {
        "auth-int alone": 'qop="auth-int"', "an unknown algorithm": "algorithm=COW", "no nonce": None, "an unknown qop": 'qop="cow"',
        "a nonce of 50,000 bytes": f'qop="auth", opaque="{"o" * 50_000}"', "userhash": 'qop="auth", userhash=true',
    }.items():
        challenge = f'Digest realm="r", nonce="n", {parameters}' if parameters else 'Digest realm="r"'
        refusal = response(b"no", f"WWW-Authenticate: {challenge}", status="401 Unauthorized")
        yield Case(2, f"Digest, {name}", {
            "verb": "call", "session": {"idle": 2}, "calls": [{"url": "http://127.0.0.1:$A/", "user": "u", "password": "p"}]},
            re.compile(r'(401 "no"|error [a-zA-Z ]+) \| at most 10 requests'), (answers(refusal),),
            lambda scene: "at most 10 requests" if len(scene.requests) <= 10 else f"{len(scene.requests)} requests")
    for name, (method, data, expected) in BODILESS.items():
        yield Case(2, name, twice(method=method, wait=50), exact(expected), (kept(data),))
    for name, (data, expected) in UNSTORABLE.items():
        order = twice()
        order["session"] |= {"cache": True}
        yield Case(2, f"cache, {name}", order, expected, (once(data),))
    for name, field in (("Set-Cookie", "Set-Cookie: a=b"), ("Content-Length", "Content-Length: 9"), ("Location", "Location: /x"),
                        ("Content-Encoding", "Content-Encoding: gzip"), ("Transfer-Encoding", "Transfer-Encoding: chunked")):
        yield Case(2, f"trailer {name}", twice(wait=50, shows=[name]),
                   re.compile(rf'200 "ok" {name}=(none|chunked); 200 "sound" \| no cookie'),
                   (kept(CHUNKED + b"2\r\nok\r\n0\r\n" + field.encode() + b"\r\n\r\n"),),
                   lambda scene: "a cookie" if scene.requests[-1].value("Cookie") else "no cookie")
    for field in ('Alt-Svc: h2=":1"', 'Alt-Svc: http/1.1="127.0.0.1:1"; persist=1', "Strict-Transport-Security: max-age=9",
                  "Upgrade: h2c", "Upgrade: websocket"):
        yield Case(2, f"{field} moves no call elsewhere", twice(wait=50), exact(OK), (kept(response(b"ok", field)),))


def forged_by_proxy(data):
    """A proxy that answers CONNECT itself."""
    def handle(connection):
        if connection.request():
            connection.send(data)
            connection.wait_for_end()
    return handle


# A proxy that responds instead of tunnelling never answers for the origin.
CONNECT_ANSWERS = {
    "200 with a body": response(b"forged"), "302": response(b"", "Location: http://127.0.0.1:$A/", status="302 Found"),
    "401": response(b"forged", "WWW-Authenticate: Basic realm=r", status="401 Unauthorized"),
    "403": response(b"forged", status="403 Forbidden"), "407": response(b"forged", "Proxy-Authenticate: Basic realm=r",
                                                                        status="407 Proxy"),
    "500": response(b"forged", status="500 No"), "204": response(b"", status="204 No Content"),
    "Set-Cookie": response(b"", "Set-Cookie: a=b", status="403 Forbidden"), "nonsense": b"nonsense\r\n\r\n",
    "nothing": b"", "half a head": b"HTTP/1.1 200 OK\r\nA:",
}

# Malformed second messages of NTLM ([MS-NLMP] section 2.2.1.2).
NTLM = b"NTLMSSP\0\2\0\0\0"
NTLM_MESSAGES = {
    "nothing": b"", "no base64": None, "half a signature": b"NTLMS", "a signature alone": NTLM,
    "another type": b"NTLMSSP\0\7\0\0\0" + b"\0" * 40,
    "a target beyond the message": NTLM + struct.pack("<HHI", 0xFFFF, 0xFFFF, 0x7FFFFFFF) + b"\xff" * 4 + b"\0" * 16
    + struct.pack("<HHI", 0xFFFF, 0xFFFF, 0x7FFFFFFF),
    "a negative offset": NTLM + struct.pack("<HHI", 8, 8, 0xFFFFFFF0) + b"\xff" * 4 + b"\0" * 16
    + struct.pack("<HHI", 8, 8, 0xFFFFFFFC),
    "information that overlaps": NTLM + struct.pack("<HHI", 8, 8, 0) + b"\xff" * 4 + b"\0" * 16 + struct.pack("<HHI", 48, 48, 0),
    "30,000 bytes": NTLM + b"a" * 30_000,
}

# Answers of a SOCKS 5 proxy (RFC 1928) to the greeting, and to the request after a valid greeting.
SOCKS = {
    "nothing": (b"", b""), "another version": (b"\4\0", b""), "no method": (b"\5\xff", b""), "an unknown method": (b"\5\x42", b""),
    "an unasked password": (b"\5\2", b""), "GSSAPI": (b"\5\1", b""), "half a reply": (b"\5\0", b"\5\0\0"),
    "a refusal": (b"\5\0", b"\5\2\0\1\0\0\0\0\0\0"), "an unknown address": (b"\5\0", b"\5\0\0\x63\0\0\0\0\0\0"),
    "a name that is cut": (b"\5\0", b"\5\0\0\3\xffa"), "an answer of HTTP": (response(b"forged"), b""),
    "an answer of HTTP behind the tunnel": (b"\5\0", b"\5\0\0\1\0\0\0\0\0\0" + b"\0" * 9),
}


def ntlm(message):
    """Requires NTLM, and answers its first message."""
    def handle(connection):
        count = 0
        while connection.request():
            count += 1
            text = "" if count == 1 else " %%%" if message is None else " " + base64.b64encode(message).decode()
            connection.send(response(b"no", f"WWW-Authenticate: NTLM{text}", status="401 Unauthorized"))
    return handle


def socks(greeting, reply):
    def handle(connection):
        connection.fill()
        connection.send(greeting)
        if reply:
            connection.fill()
            connection.send(reply)
    return handle


# Responses without a body, for any fields.
BODILESS = {
    "HEAD with gzip": ("HEAD", HEAD + b"Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n", '200 ""'),
    "204 with gzip": ("GET", b"HTTP/1.1 204 No\r\nContent-Encoding: gzip\r\n\r\n", '204 ""'),
    "304 with gzip": ("GET", b"HTTP/1.1 304 No\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n", '304 ""'),
    "200 of nothing with gzip": ("GET", HEAD + b"Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", '200 ""'),
    "no chunks with gzip": (
        "GET", HEAD + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", '200 ""'),
}

# Responses that a cache must not store, so that the second call reaches the server; and one that it may.
UNSTORABLE = {
    "a response that may be stored": (response(b"ok", "Cache-Control: max-age=100"), f"{OK}; {OK}"),
    "a body that was cut": (b"HTTP/1.1 200 OK\r\nCache-Control: max-age=100\r\nContent-Length: 9\r\n\r\nok", BROKEN),
    "chunks that were cut": (
        HEAD + b"Cache-Control: max-age=100\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", BROKEN),
    "gzip that was cut": (
        response(gzip.compress(b"ok" * 500)[:-9], "Cache-Control: max-age=100", "Content-Encoding: gzip"),
        exact("error contentDecoding")),
    "no-store": (response(b"ok", "Cache-Control: no-store, max-age=100"), exact(OK)),
    "Vary: *": (response(b"ok", "Cache-Control: max-age=100", "Vary: *"), exact(OK)),
    "206": (response(b"ok", "Cache-Control: max-age=100", "Content-Range: bytes 0-1/9", status="206 Partial Content"),
            exact('206 "ok"')),
    "max-age twice": (response(b"ok", "Cache-Control: max-age=0, max-age=100"), exact(OK)),
    "an age of 2^64": (response(b"ok", "Cache-Control: max-age=100", "Age: 18446744073709551616"), exact(OK)),
    "a date of long ago": (
        response(b"ok", "Cache-Control: max-age=100", "Date: Thu, 01 Jan 1970 00:00:00 GMT"), exact(OK)),
}


def cutting(field=""):
    def handle(connection):
        if connection.request():
            connection.send(HEAD + (field + "\r\n" if field else "").encode() + b"\r\nok")
            # Without close_notify, since an attacker may have truncated a response that seems complete.
            socket.socket.shutdown(connection.stream, socket.SHUT_RDWR)
    return handle
