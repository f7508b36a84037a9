"""Family 1: no input of a caller becomes another request."""

import re

from ..case import Case, ntlm_refusal
from ..servers import answers, by_request, response

SECOND = "GET /second HTTP/1.1"
CONTROLS = {
    "CRLF": "\r\n", "LF": "\n", "CR": "\r", "NUL": "\0", "DEL": "\x7f", "VT": "\x0b",
    # Letters whose low bytes are CR and LF.
    "low bytes": "\u010d\u010a",
}


def injection(control):
    return f"a{control}X-Injected: 1{control}{control}{SECOND}{control}Host: x"


def observed(scene):
    """The number of requests that the server has read, and whether one of them is the attacker's."""
    received = b"".join(server.received for server in scene.servers)
    heads = b"\r\n".join(request.head for request in scene.requests)
    bodies = b"\r\n".join(request.body for request in scene.requests)
    split = (re.search(rb"[\r\n\0\x0b\x7f]X-Injected", heads) or re.search(rb"[\r\n]X-Injected", bodies)
             or b"\nGET /second" in received)
    return f"{len(scene.requests)} requests, {'INJECTED' if split else 'nothing injected'}"


REFUSED = " | 0 requests, nothing injected"
SENT = " | 1 requests, nothing injected"
OK = '200 "ok"'

# The text inputs of a call, with the outcome of a control character and of non-ASCII letters in each.
PLACES = {
    "method": ({"method": "$"}, "error invalidMethod" + REFUSED, "error invalidMethod" + REFUSED),
    "URL": ({"url": "http://127.0.0.1:$A/$"}, "error invalidURL" + REFUSED, "error invalidURL" + REFUSED),
    "URL's query": ({"url": "http://127.0.0.1:$A/?$"}, "error invalidURL" + REFUSED, "error invalidURL" + REFUSED),
    "URL's host": ({"url": "http://127.0.0.1$:$A/"}, "error invalidURL" + REFUSED, "error invalidURL" + REFUSED),
    "field name": ({"headers": [["$", "b"]]}, "error invalidHeaderField" + REFUSED, "error invalidHeaderField" + REFUSED),
    "field value": ({"headers": [["X-A", "$"]]}, "error invalidHeaderField" + REFUSED, OK + SENT),
    "Cookie": ({"headers": [["Cookie", "a=$"]]}, "error invalidHeaderField" + REFUSED, OK + SENT),
    "Host": ({"headers": [["Host", "$"]]}, "error invalidHeaderField" + REFUSED, OK + SENT),
    "User-Agent": ({"headers": [["User-Agent", "$"]]}, "error invalidHeaderField" + REFUSED, OK + SENT),
    "parameter": ({"parameters": {"$": "$"}}, OK + SENT, OK + SENT),
    "target's path": ({"kind": "target", "path": "$"}, OK + SENT, OK + SENT),
    "target's header": ({"kind": "target", "headers": [["X-A", "$"]]}, "error invalidHeaderField" + REFUSED, OK + SENT),
    "token": ({"kind": "target", "token": "$"}, "error invalidHeaderField" + REFUSED, OK + SENT),
    "form parameter": ({"method": "POST", "parameters": {"$": "$"}}, OK + SENT, OK + SENT),
    "part name": ({"kind": "form", "parts": [{"name": "$", "data": "d"}]}, OK + SENT, OK + SENT),
    "file name": ({"kind": "form", "parts": [{"name": "n", "fileName": "$", "type": "text/plain", "data": "d"}]},
                  OK + SENT, OK + SENT),
    "media type": ({"kind": "form", "parts": [{"name": "n", "fileName": "f", "type": "$", "data": "d"}]},
                   "error bodyPartHeaderInvalid" + REFUSED, OK + SENT),
    "boundary": ({"kind": "form", "boundary": "$", "parts": [{"name": "n", "data": "d"}]},
                 re.compile("error (bodyPartHeaderInvalid|invalidHeaderField)" + re.escape(REFUSED)),
                 "error bodyPartHeaderInvalid" + REFUSED),
    "wire method": ({"kind": "wire", "method": "$"}, "error invalidMethod" + REFUSED, "error invalidMethod" + REFUSED),
    "wire URL": ({"kind": "wire", "url": "http://127.0.0.1:$A/$"}, "error unsupported" + REFUSED,
                 "error unsupported" + REFUSED),
    "wire field name": ({"kind": "wire", "headers": [["$", "b"]]}, "error invalidHeaderField" + REFUSED,
                        "error invalidHeaderField" + REFUSED),
    "wire field value": ({"kind": "wire", "headers": [["X-A", "$"]]}, "error invalidHeaderField" + REFUSED, OK + SENT),
}

# The words of a refusal that name the input.
NAMES = {
    "method": "is not a method", "wire method": "is not a method", "URL": "Not a valid URL", "URL's query": "Not a valid URL",
    "URL's host": "Not a valid URL", "wire URL": "no absolute, percent-encoded http or https URL",
    "field name": 'the header field "a', "wire field name": 'the header field "a', "field value": 'the header field "X-A"',
    "wire field value": 'the header field "X-A"', "target's header": 'the header field "X-A"',
    "Cookie": 'the header field "Cookie"', "Host": 'the header field "Host"', "User-Agent": 'the header field "User-Agent"',
    "token": 'the header field "Authorization"', "part name": "X-Injected", "file name": "X-Injected",
    "media type": "X-Injected", "boundary": "X-Injected",
    # Never refused.
    "parameter": None, "target's path": None, "form parameter": None,
}

# Schemes that send a user name and a password, with the server's challenge.
CHALLENGES = {
    "Basic": 'Basic realm="r"',
    "Digest": 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256',
    "Digest MD5": 'Digest realm="r", nonce="n", qop="auth"',
    "NTLM": "NTLM",
}
WORDS = {"user": "user name", "password": "password"}


def substituted(value, text):
    if isinstance(value, dict):
        return {substituted(key, text): substituted(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [substituted(item, text) for item in value]
    return re.sub(r"\$(?![A-Z])", lambda _: text, value)


def order(call, **session):
    call = {"url": "http://127.0.0.1:$A/"} | call
    return {"verb": "call", "session": session or None, "calls": [call]}


def challenging(challenge):
    refusal = response(b"", f"WWW-Authenticate: {challenge}", status="401 Unauthorized")
    return by_request(lambda request: response(b"ok") if request.value("Authorization") else refusal)


def cases():
    for place, (call, refused, beyond) in PLACES.items():
        for name, control in CONTROLS.items():
            expected = beyond if name == "low bytes" else refused
            named = substituted(call, injection(control)) | {"names": NAMES[place]}
            if name == "NUL" and place in ("part name", "file name"):
                expected = "error bodyPartHeaderInvalid" + REFUSED
            if name in ("DEL", "VT") and place == "boundary":
                # Foundation keeps these in the form's field, which is refused first.
                named["names"] = 'the header field "Content-Type"'
            yield Case(1, f"{place}, {name}", order(named), expected,
                       (answers(response()),), observed, reaches=expected == OK + SENT)

    for scheme, challenge in CHALLENGES.items():
        for name in ("CRLF", "LF", "CR", "NUL", "DEL"):
            for part in ("user", "password"):
                login = {"user": "u", "password": "p", part: injection(CONTROLS[name]), "names": f"the {WORDS[part]} holds"}
                yield Case(1, f"{scheme}'s {part}, {name}", order(login), "error invalidCredential" + SENT,
                           (challenging(challenge),), observed, known=ntlm_refusal() if scheme == "NTLM" else None)
    yield Case(1, "Basic's user with a colon", order({"user": "a:b", "password": "p", "names": "the user name holds a colon"}),
               "error invalidCredential | 1 requests, nothing injected", (challenging(CHALLENGES["Basic"]),), observed)

    for name in ("CRLF", "LF", "NUL"):
        for part in ("user", "password"):
            for kind in ("http", "socks5"):
                proxy = {"kind": kind, "port": "$A", "user": "u", "password": "p", part: injection(CONTROLS[name])}
                yield Case(1, f"{kind} proxy's {part}, {name}",
                           order({"url": "http://a.test/", "names": f"proxy: the {WORDS[part]} holds"}, proxy=proxy),
                           "error unsupported" + REFUSED,
                           (answers(response()),), observed, reaches=False)

    # Fields of framing and of the connection, which the transport sets.
    for method, body, framed in (("GET", None, "length none, coding none"), ("POST", "body", "length 4, coding none")):
        for field, value in (
            ("Content-Length", "0"), ("Content-Length", "100"), ("Content-Length", "4, 4"),
            ("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity"), ("transfer-encoding", "gzip, chunked"),
            ("Connection", "X-A, Content-Length"), ("Connection", "keep-alive"), ("Keep-Alive", "timeout=1"),
            ("Proxy-Authorization", "Basic eDp5"), ("Proxy-Connection", "close"), ("TE", "trailers"),
            ("Trailer", "X-A"), ("HTTP2-Settings", "AAAA"),
        ):
            call = {"method": method, "body": body, "headers": [[field, value]]}
            yield Case(1, f"{method} with {field}: {value}", order(call), f"{OK} | {framed}, own field left out",
                       (answers(response()),), lambda scene, field=field, value=value: framing(scene, field, value))
    for field, value in (("Upgrade", "h2c"), ("Upgrade", "websocket")):
        yield Case(1, f"{field}: {value}", order({"headers": [[field, value]], "names": 'header field "Upgrade"'}),
                   "error invalidHeaderField" + REFUSED, (answers(response()),), observed, reaches=False)
    yield Case(1, "method CONNECT", order({"method": "CONNECT", "names": "CONNECT"}), "error invalidMethod" + REFUSED,
               (answers(response()),), observed, reaches=False)
    yield Case(1, "Expect without a body", order({"headers": [["Expect", "100-continue"]]}),
               f"{OK} | length none, coding none, own field left out", (answers(response()),),
               lambda scene: framing(scene, "Expect", "100-continue"))

    # A body and the fields about it, in every form of upload.
    for field, value in (("Content-Length", "0"), ("Transfer-Encoding", "identity"), ("Content-Length", "9")):
        yield Case(1, f"upload with {field}: {value}", order({"kind": "upload", "body": "body", "headers": [[field, value]]}),
                   f"{OK} | length 4, coding none, own field left out", (answers(response()),),
                   lambda scene, field=field, value=value: framing(scene, field, value))
    # The caller states the length of a stream; a stream of another length is an error, and no length is none.
    for value, expected in (("4", f"{OK} | body"), ("0", "error requestBody | .*"), ("2", "error requestBody | .*"),
                            ("9", "error requestBody | .*"), ("-1", f"{OK} | body"), ("4, 4", f"{OK} | body"),
                            ("4x", f"{OK} | body"), ("18446744073709551620", f"{OK} | body")):
        yield Case(1, f"stream with Content-Length: {value}",
                   order({"kind": "stream", "body": "body", "headers": [["Content-Length", value]]}),
                   re.compile(expected.replace("|", r"\|")), (answers(response()),),
                   lambda scene: ", ".join(f"{request.value('Content-Length')} {request.value('Transfer-Encoding')} {request.body.decode()}"
                                           if request.body != b"body" else "body" for request in scene.requests))
    yield Case(1, "two fields Host", order({"kind": "wire", "headers": [["Host", "a.test"], ["host", "b.test"]]}),
               f"{OK} | one", (answers(response()),),
               lambda scene: "none" if not scene.requests else "one" if len(
                   scene.requests[0].values("Host")) == 1 else f"{scene.requests[0].values('Host')}")

    # Text of a server that the client sends in a later request.
    for name, location in (
        ("CR", "/a\rX-Injected: 1"), ("tab", "/a\tX-Injected: 1"), ("VT", "/a\x0bX-Injected: 1"),
        ("NUL", "/a\0X-Injected: 1"), ("escaped CRLF", "/a%0d%0aX-Injected:%201"), ("space", f"/a HTTP/1.1 {SECOND}"),
        ("Latin-1", "/\xe4\x8d\x8a"), ("UTF-8 low bytes", "/\u010d\u010aX-Injected".encode().decode("latin-1")),
    ):
        yield Case(1, f"Location, {name}", order({}), re.compile(r"(200 \"ok\"|302 \"\"|error [a-zA-Z]+) \| [12] requests, nothing injected"),
                   (answers(response(b"", f"Location: {location}", status="302 Found"), response()),), observed)
    for name, text in (("CR", 'r"\rX-Injected: 1\r'), ("NUL", "r\0"), ("folded", "r\r\n X-Injected: 1"), ("quote", 'r\\"')):
        for scheme in ("Digest", "Basic"):
            challenge = f'{scheme} realm="{text}", nonce="n{text}", qop="auth"'
            yield Case(1, f"{scheme}'s realm, {name}", order({"user": "u", "password": "p"}),
                       re.compile(r"(200 \"ok\"|401 \"\"|error [a-zA-Z]+) \| [123] requests, nothing injected"),
                       (challenging(challenge),), observed)
    for name, value in (("CR", "a\rX-Injected: 1"), ("NUL", "a\0X-Injected"), ("VT", "a\x0bX-Injected: 1"), ("DEL", "a\x7fX-Injected: 1")):
        sets = response(b"ok", f"Set-Cookie: c={value}")
        calls = {"verb": "call", "calls": [{"url": "http://127.0.0.1:$A/"}] * 2}
        # libcurl from 8.21 on refuses a bare CR.
        outcome = {"NUL": "error protocolViolation", "CR": f"({OK}|error protocolViolation)"}.get(name, OK)
        yield Case(1, f"Set-Cookie, {name}", calls,
                   re.compile(rf"{outcome}; {outcome} \| 2 requests, nothing injected"), (answers(sets),), observed)


def framing(scene, field, value):
    if len(scene.requests) != 1:
        return f"{len(scene.requests)} requests"
    request = scene.requests[0]
    length, coding = request.value("Content-Length") or "none", request.value("Transfer-Encoding") or "none"
    left_out = field.lower() in ("content-length", "transfer-encoding") or value not in request.values(field)
    return f"length {length}, coding {coding}, own field {'left out' if left_out else 'SENT'}"
