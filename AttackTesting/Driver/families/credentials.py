"""Family 6: credentials stay with their origin.

The server is an HTTP proxy, so that it answers for every host by name.
"""

import re
import socket
import threading

from ..case import Case
from ..servers import by_request, response, tls

OK = '200 "ok"'
ORIGIN = "http://a.test/"
# Targets of a redirect; true marks the same origin.
TARGETS = {
    "the same origin": ("http://a.test/next", True),
    "the same origin, its port spelled out": ("http://a.test:80/next", True),
    "the same origin in capitals": ("http://A.TEST/next", True),
    "a path": ("/next", True),
    "another host": ("http://b.test/next", False),
    "a host below": ("http://www.a.test/next", False),
    "another port": ("http://a.test:8080/next", False),
    "a host that begins the same": ("http://a.test.evil.test/next", False),
    "a host behind user information": ("http://a.test@evil.test/next", False),
    "a host behind a backslash": ("http://a.test\\@evil.test/next", False),
    "a reference without a scheme": ("//b.test/next", False),
    "another host with a dot at its end": ("http://b.test./next", False),
}
# Spellings that parsers read differently: for any destination, a credential is sent to its origin only.
SPELLINGS = (
    "http://a.test:80@evil.test/", "http://a.test%40evil.test/", "http://evil.test#@a.test/", "http://evil.test?@a.test/",
    "http://evil.test\\@a.test/", "http://a.test\\.evil.test/", "http:/\\evil.test/", "http:evil.test/", "http:///evil.test/",
    "\\\\evil.test/", "/\\evil.test/", "///evil.test/", "http://a.test;evil.test/", "http://a.test,evil.test/",
    "http://a.test%00.evil.test/", "http://a.test%0a.evil.test/", "http://a.test\t.evil.test/", "http://a%2etest/",
    "http://a.test./", "http://a.test:/", "http://a.test:080/", "http://a.test:65616/", "http://a.test:80:80/",
    "http://[a.test]/", "http://\uff41.test/", "http://a\u3002test/", "http://a\u00adtest/", "http://a.te\u017ft/",
    "HTTP://A.TEST/", "http://0x7f.1/", "http://2130706433/", "http://127.1/", "http://0177.0.0.1/", "http:\\\\evil.test/",
    " http://evil.test/", "http://evil.test /", "http://a.test\"evil.test/", "http://user@a.test@evil.test/",
)
CREDENTIALS = (
    "Authorization", "authorization", "Cookie", "X-Api-Key", "X-API-KEY", "Api-Key", "X-Auth-Token", "PRIVATE-TOKEN",
    "X-Amz-Security-Token", "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key", "X-CSRF-Token", "X-Shopify-Access-Token",
    "X-Vault-Token", "X-Session-Id", "X-Auth", "X-Signature", "X-Secret", "X-Access-Token", "X-Refresh-Token",
    "X-Password", "DPoP", "X-Client-Secret", "X-User-Credentials", "X-Hub-Signature", "X-Figma-Token",
    "X-Xsrf-Token", "X-Bearer", "X-JWT-Assertion", "api_key", "X-GitHub-OTP", "X-OAuth", "X-Pin", "X-Sig", "X-Hmac",
    "X-Saml", "X-Passcode", "X-Totp", "X-Mfa", "CF-Access-Client-Secret", "X-MBX-APIKEY", "X-Ticket",
    "AccessKey", "X-AccessKey", "SubscriptionKey", "X-PrivateKey", "X-SharedKey", "X-ClientKey", "X-SessionKey",
    "X-AuthCode", "X-TokenId", "X-Secrets", "X-Cookies", "X-Signatures", "X-Token2", "X-Authentication", "X-Tenant-Key",
)
HARMLESS = ("Accept-Language", "X-Request-Id", "Idempotency-Key", "X-Author", "X-Keyboard", "X-Monkey", "X-Trace")


def order(*calls, **session):
    return {"verb": "call", "session": {"proxy": {"port": "$A"}} | session,
            "calls": [{"url": ORIGIN} | call for call in calls]}


def redirecting(location, status="302 Found"):
    """A proxy: the first request is redirected, every other is answered."""
    redirect = response(b"", f"Location: {location}", status=status)
    return by_request(lambda request: redirect if request.target == ORIGIN else response())


def second(field):
    def look(scene):
        if len(scene.requests) < 2:
            return f"{len(scene.requests)} requests"
        return "kept" if scene.requests[1].value(field) else "dropped"
    return look


def hosts(field="Authorization"):
    """The target of each request, with or without the field."""
    def look(scene):
        return ", ".join(f"{request.target} {'with' if request.value(field) else 'without'}" for request in scene.requests)
    return look


def cases():
    for name, (location, is_same) in TARGETS.items():
        for field in ("Authorization", "X-Api-Key", "Cookie"):
            expected = "kept" if is_same else "dropped"
            pattern = re.compile(rf'{re.escape(OK)} \| {expected}' + (
                r'|(302 ""|error .+) \| 1 requests' if "backslash" in name else ""))
            yield Case(6, f"{field}, redirect to {name}", order({"headers": [[field, "Basic eDp5"]]}), pattern,
                       (redirecting(location),), second(field))
    for location in SPELLINGS:
        yield Case(6, f"redirect to {location!r}", order({"headers": [["Authorization", "Basic eDp5"]]}),
                   re.compile(r'(200 "ok"|302 ""|error [A-Za-z0-9 -]+) \| to its own origin alone'),
                   (redirecting(location.encode().decode("latin-1")),), lambda scene: "nothing sent"
                   if not scene.requests else "to its own origin alone" if all(
                       re.match(r"http://a\.test(:80)?/", request.target, re.IGNORECASE)
                       and request.value("Host").lower() in ("a.test", "a.test:80")
                       for request in scene.requests if request.value("Authorization")) else
                   "elsewhere: " + ", ".join(request.target for request in scene.requests))
    for field in CREDENTIALS:
        for status in ("307 Temporary Redirect", "301 Moved Permanently"):
            yield Case(6, f"{field}, {status[:3]} to another host", order({"headers": [[field, "value"]]}),
                       f"{OK} | dropped", (redirecting("http://b.test/next", status),), second(field))
    for field in HARMLESS:
        yield Case(6, f"{field}, to another host", order({"headers": [[field, "value"]]}), f"{OK} | kept",
                   (redirecting("http://b.test/next"),), second(field))
    yield Case(6, "a field of the session's own", order({"headers": [["X-Who", "me"]]}, credentialFields=["x-who"]),
               f"{OK} | dropped", (redirecting("http://b.test/next"),), second("X-Who"))
    yield Case(6, "a field of a name that is not known", order({"headers": [["X-Who", "me"]]}), f"{OK} | kept",
               (redirecting("http://b.test/next"),), second("X-Who"))
    for status, method, expected in (("307 T", "POST", "with"), ("308 P", "POST", "with"), ("303 S", "POST", "without"),
                                     ("302 F", "POST", "without"), ("301 M", "PUT", "with")):
        yield Case(6, f"body of {method} over {status[:3]}", order({"method": method, "body": "b"}),
                   f"{OK} | {expected}", (redirecting("http://b.test/next", status),),
                   lambda scene: "with" if scene.requests[1].body else "without")

    # Cookies of the jar, user information of the call's own URL, and a chain over https.
    yield Case(6, "cookies of the jar, to another host", order({}, {}),
               f"{OK}; {OK} | http://a.test/ without, http://b.test/ without, http://a.test/ with, http://b.test/ without",
               (by_request(lambda request: response(b"", "Set-Cookie: sid=1", "Location: http://b.test/", status="302 F")
                if request.target == ORIGIN else response()),), hosts("Cookie"))
    yield Case(6, "user information in the call's URL", order({"url": "http://u:p@a.test/"}),
               re.compile(r'(error .+ \| |200 "ok" \| http://a.test/ with(out)?)'), (by_request(lambda request: response()),),
               hosts())
    yield Case(6, "user information in the call's URL, redirected", order({"url": "http://u:p@a.test/"}),
               re.compile(r'(error .+ \| |200 "ok" \| http://a.test/ with(out)?, http://b.test/ without)'),
               (redirecting("http://b.test/"),), hosts())
    for port in ("$B", "$A"):
        yield Case(6, f"Authorization over https, to {'another' if port == '$B' else 'the same'} port", {
            "verb": "call", "session": {"authorities": "$CERTS/root.pem"},
            "calls": [{"url": "https://good-ec.localhost:$A/", "headers": [["Authorization", "Bearer a"]]}]},
            f"{OK} | {'without' if port == '$B' else 'with'}",
            ((by_request(lambda request, port=port: response(
                b"", f"Location: https://good-ec.localhost:{request.connection.server.scene.filled_in(port)}/next",
                status="302 F") if request.target == "/" else response()), tls()),
             (by_request(lambda request: response()), tls())),
            lambda scene: "with" if scene.requests[-1].value("Authorization") else "without")

    # A redirect back: dropped fields stay dropped.
    there_and_back = by_request(lambda request: {
        ORIGIN: response(b"", "Location: http://b.test/", status="302 F"),
        "http://b.test/": response(b"", "Location: http://a.test/back", status="302 F"),
    }.get(request.target, response()))
    for field in ("Authorization", "X-Api-Key"):
        yield Case(6, f"{field}, there and back", order({"headers": [[field, "value"]]}),
                   f"{OK} | http://a.test/ with, http://b.test/ without, http://a.test/back without",
                   (there_and_back,), hosts(field))

    # A challenge of an origin to which the credential does not belong.
    login = {"user": "u", "password": "p"}
    for scheme in ("Basic realm=r", 'Digest realm="r", nonce="n"', "NTLM", "Negotiate"):
        challenge = response(b"no", f"WWW-Authenticate: {scheme}", status="401 Unauthorized")
        elsewhere = by_request(lambda request, challenge=challenge: response(
            b"", "Location: http://b.test/", status="302 F") if request.target == ORIGIN else challenge)
        yield Case(6, f"{scheme.split()[0]} asked by another origin", order(login),
                   '401 "no" | http://a.test/ without, http://b.test/ without', (elsewhere,), hosts())
        proxied = response(b"no", f"Proxy-Authenticate: {scheme}", status="407 Proxy")
        yield Case(6, f"{scheme.split()[0]} asked by a proxy", order(login),
                   re.compile(r'(407 "no"|error .+) \| http://a.test/ without'),
                   (by_request(lambda request, proxied=proxied: proxied),), hosts("Proxy-Authorization"))
    asked = by_request(lambda request: response() if request.value("Authorization") else response(
        b"no", "WWW-Authenticate: Basic realm=r", status="401 Unauthorized"))
    yield Case(6, "Basic asked by its origin", order(login), f"{OK} | http://a.test/ without, http://a.test/ with",
               (asked,), hosts())

    # A Digest challenge that libcurl cannot answer hides no other.
    for parameter in ("algorithm=SHA-512-256", 'qop="auth-int"', "algorithm=unknown"):
        hidden = by_request(lambda request, parameter=parameter: response()
                            if (request.value("Authorization") or "").startswith("Basic") else response(
            b"no", f'WWW-Authenticate: Digest realm="r", nonce="n", {parameter}', "WWW-Authenticate: Basic realm=r",
            status="401 Unauthorized"))
        yield Case(6, f"Basic beside a Digest with {parameter}", order(login | {"method": "POST", "body": "b"}),
                   f"{OK} | http://a.test/ without, http://a.test/ with", (hidden,), hosts())

    # User information: never sent as a credential that the caller did not give.
    yield Case(6, "user information in a Location", order({}),
               re.compile(r'(401 "no"|error .+) \| http://a.test/ without, http://b.test/ without'),
               (by_request(lambda request: response(b"", "Location: http://u:p@b.test/", status="302 F")
                if request.target == ORIGIN else response(b"no", "WWW-Authenticate: Basic realm=r", status="401 U")),),
               hosts())
    yield Case(6, "Referer after a redirect", order({"url": "http://a.test/?token=secret"}), f"{OK} | dropped",
               (by_request(lambda request: response() if "b.test" in request.target else response(
                   b"", "Location: http://b.test/", status="302 F")),), second("Referer"))

    # Schemes to which a redirect is not followed.
    for location in ("file:///etc/passwd", "ftp://a.test/", "gopher://a.test/", "data:text/plain,a", "javascript:1",
                     "ldap://a.test/", "smb://a.test/", "telnet://a.test/", "dict://a.test/", "scp://a.test/a"):
        yield Case(6, f"redirect to {location}", order({}), "error URLError -1002 | 1 requests",
                   (redirecting(location),), second("Cookie"))
    yield Case(6, "redirect from https to http", {
        "verb": "call", "session": {"authorities": "$CERTS/root.pem"},
        "calls": [{"url": "https://good-ec.localhost:$A/", "headers": [["Authorization", "Bearer a"]]}]},
        "error URLError -1200 | 1 requests",
        ((by_request(lambda request: response(b"", "Location: http://good-ec.localhost/", status="302 F")), tls()),),
        second("Authorization"))
    yield Case(6, "redirects without an end", order({}), "error URLError -1007 | 21 requests",
               (by_request(lambda request: response(b"", f"Location: {request.target}a", status="302 F")),),
               lambda scene: f"{len(scene.requests)} requests")
    yield Case(6, "redirects in a circle", order({}), re.compile(r"error URLError -1007 \| [2-9] requests"),
               (by_request(lambda request: response(b"", f"Location: {ORIGIN}", status="302 F")),),
               lambda scene: f"{len(scene.requests)} requests")

    for name, location in (("its origin", "http://local.test/"), ("its origin in capitals", "http://LOCAL.test.:80/")):
        yield Case(6, f"redirect into a Unix domain socket, to {name}", {
            "verb": "call", "session": {"unixSocket": {"path": "$DIR/socket", "origin": "http://local.test"}},
            "calls": [{"url": "http://127.0.0.1:$A/", "method": "POST", "body": "b"}]},
            "error URLError -1002 | 1 requests",
            (by_request(lambda request, location=location: response(b"", f"Location: {location}", status="307 T")),),
            second("Cookie"))

    # Tokens.
    token = response(b'{"access_token":"new-token","token_type":"bearer"}', "Content-Type: application/json")
    for status in ("301 M", "302 F", "303 S", "307 T", "308 P"):
        endpoint = by_request(lambda request, status=status: response(
            b"", "Location: http://evil.test/token", status=status) if "/token" in request.target and "a.test" in
            request.target else token if "/token" in request.target else response())
        yield Case(6, f"token endpoint that answers {status[:3]}",
                   order({"kind": "tokens", "path": "http://a.test/token"}),
                   re.compile(r"error .+ \| http://a.test/token"), (endpoint,),
                   lambda scene: ", ".join(request.target for request in scene.requests))
        yield Case(6, f"request of a closure that refreshes, answered {status[:3]}",
                   order({"kind": "tokens", "path": "http://a.test/token", "options": ["closure"]}),
                   re.compile(r"error .+ \| http://a.test/token"), (endpoint,),
                   lambda scene: ", ".join(request.target for request in scene.requests))
    for field in (None, "X-Who"):
        redirect = by_request(lambda request: token if "/token" in request.target else response(
            b"", "Location: http://b.test/", status="302 F") if "a.test" in request.target else response())
        yield Case(6, f"a token in {field or 'Authorization'}, to another host",
                   order({"kind": "tokens", "path": "http://a.test/token", "token": field}),
                   f"{OK} | http://a.test/token without, http://a.test/ with, http://b.test/ without", (redirect,),
                   hosts(field or "Authorization"))

    # Basic without TLS.
    basic = {"headers": [["Authorization", "Basic eDp5"]]}
    for name, call, expected in (
        ("Authorization", basic, "error basicWithoutTLS | "),
        ("a challenge", login, "error basicWithoutTLS | http://a.test/ without"),
        ("basic in small letters", {"headers": [["authorization", "basic eDp5"]]}, "error basicWithoutTLS | "),
        ("Bearer", {"headers": [["Authorization", "Bearer a"]]}, f"{OK} | http://a.test/ with"),
    ):
        yield Case(6, f"Basic refused without TLS, {name}", order(call, refusesBasic=True), expected, (asked,), hosts(),
                   reaches="http://" in expected)
    for host in ("127.0.0.1", "localhost", "127.9.9.9", "[::1]"):
        yield Case(6, f"Basic without TLS to {host}", order(basic | {"url": f"http://{host}/"}, refusesBasic=True),
                   f"{OK} | http://{host}/ with", (asked,), hosts())
    for host in (
            "127.0.0.1.evil.test", "localhost.evil.test", "0.0.0.0", "10.0.0.1", "[::ffff:10.0.0.1]", "notlocalhost",
            "a.localhost"):
        yield Case(6, f"Basic without TLS to {host}", order(basic | {"url": f"http://{host}/"}, refusesBasic=True),
                   "error basicWithoutTLS | ", (asked,), hosts(), reaches=False)
    # A proxy's password is sent only to the proxy.
    proxy = {"port": "$A", "user": "u", "password": "p"}
    yield Case(6, "a proxy's password, tunnelled", {
        "verb": "call", "session": {"proxy": proxy, "authorities": "$CERTS/root.pem"},
        "calls": [{"url": "https://good-ec.localhost:$B/"}]}, f"{OK} | at the proxy yes, at the origin no",
        (tunnel, (by_request(lambda request: response()), tls())),
        lambda scene: "at the proxy {}, at the origin {}".format(*(
            "yes" if b"Basic dTpw" in server.received or any(
                request.value("Proxy-Authorization") for request in server.requests) else "no"
            for server in scene.servers)))
    yield Case(6, "credentials in a tunnel's request", {
        "verb": "call", "session": {"proxy": {"port": "$A"}, "authorities": "$CERTS/root.pem"},
        "calls": [{"url": "https://good-ec.localhost:$B/?token=secret", "headers": [["Authorization", "Bearer secret"]]}]},
        f"{OK} | the proxy saw CONNECT alone",
        (tunnel, (by_request(lambda request: response()), tls())),
        lambda scene: "the proxy saw CONNECT alone" if b"secret" not in scene.servers[0].received
        and b"Authorization" not in scene.servers[0].received else "the proxy saw a secret")


def tunnel(connection):
    request = connection.request()
    if not request:
        return
    origin = socket.create_connection(("127.0.0.1", int(request.target.rsplit(":")[-1])))
    connection.send(b"HTTP/1.1 200 OK\r\n\r\n")

    def pump(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
    back = threading.Thread(target=pump, args=(origin, connection.stream), daemon=True)
    back.start()
    pump(connection.stream, origin)
    origin.close()
