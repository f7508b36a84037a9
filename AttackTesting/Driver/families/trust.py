"""Family 5: no setting weakens trust unintentionally."""

import re
import ssl

from ..case import Case
from ..servers import by_request, response, tls

OK = '200 "ok"'
EVALUATORS = {
    "none": None,
    "default": {"kind": "default"},
    "pinned": {"kind": "pinned", "files": ["$CERTS/servers/$NAME.pem"]},
    "keys": {"kind": "keys", "files": ["$CERTS/servers/$NAME.pem"]},
    "revocation": {"kind": "revocation"},
    "composite": {"kind": "composite", "parts": [
        {"kind": "pinned", "files": ["$CERTS/servers/$NAME.pem"], "validates": False, "validatesHost": False},
        {"kind": "default"}]},
}
BAD = {
    "weak-key": "weakCryptography", "sha1": "weakCryptography", "md5": "weakCryptography",
    "weak-key-above": "weakCryptography", "sha1-above": "weakCryptography", "md5-above": "weakCryptography",
    "no-names": "wrongHost", "common-name": "wrongHost", "mail-name": "wrongHost", "top-wildcard": "wrongHost",
    "part.below": "wrongHost", "cut-name": "wrongHost", "wrong-host": "wrongHost",
    "expired": "expired", "not-yet-valid": "notYetValid", "foreign": "unknownIssuer", "sent-along": "unknownIssuer",
    "missing-intermediate": "unknownIssuer", "self-signed": "selfSigned", "wrong-purpose": "wrongPurpose",
    "tampered": "invalidSignature",
}
PIN = {"kind": "pinned", "files": ["$CERTS/servers/$NAME.pem"]}
OTHER_PIN = {"kind": "pinned", "files": ["$CERTS/servers/self-signed.pem"]}


def named(value, name):
    if isinstance(value, dict):
        return {named(key, name): named(item, name) for key, item in value.items()}
    if isinstance(value, list):
        return [named(item, name) for item in value]
    return value.replace("$NAME", name) if isinstance(value, str) else value


def order(host, evaluators=None, **session):
    # A target's URL may contain Unicode.
    kind = "data" if host.isascii() else "target"
    return {"verb": "call", "session": {"authorities": "$CERTS/root.pem", "evaluators": evaluators} | session,
            "calls": [{"url": f"https://{host}:$A/", "kind": kind}]}


def requests(scene):
    return f"{len(scene.requests)} requests"


SERVER = by_request(lambda request: response())


def cases():
    for name, reason in BAD.items():
        for label, evaluator in EVALUATORS.items():
            evaluators = evaluator and {f"{name}.localhost": named(evaluator, name)}
            yield Case(5, f"{name}, {label}", order(f"{name}.localhost", evaluators),
                       f"refused {reason} | 0 requests", ((SERVER, tls(name)),), requests)
    for label, evaluator in EVALUATORS.items():
        evaluators = evaluator and {"good-ec.localhost": named(evaluator, "good-ec")}
        yield Case(5, f"good-ec, {label}", order("good-ec.localhost", evaluators), f"{OK} | 1 requests",
                   ((SERVER, tls("good-ec")),), requests)

        if label in ("none", "default"):
            yield Case(5, f"good-ec as a proxy, {label}",
                       order("a.test", evaluator and {"a.test": evaluator}, proxy={
                           "kind": "https", "host": "good-ec.localhost", "port": "$A"}),
                       re.compile(r"error [a-zA-Z ]+ \| 1 requests"),
                       ((by_request(lambda request: response(status="403 No")), tls("good-ec")),), requests)
    # Chains whose certificates signed each other, but were not allowed to.
    for name in ("below-leaf", "below-client", "below-pathlen"):
        for kind, refusal in (("pinned", "certificatePinningFailed"), ("keys", "publicKeyPinningFailed")):
            root_pin = {"kind": kind, "files": ["$CERTS/root.pem"]}
            yield Case(5, f"{name}, {kind} root", order(f"{name}.localhost", {f"{name}.localhost": root_pin}),
                       re.compile(r"refused [a-zA-Z]+ \| 0 requests"), ((SERVER, tls(name)),), requests)
            yield Case(5, f"{name}, {kind} root without validation", order(
                f"{name}.localhost", {f"{name}.localhost": root_pin | {"validates": False}}),
                f"refused {refusal} | 0 requests", ((SERVER, tls(name)),), requests)
    # The platform evaluates a proxy; evaluators for servers do not apply.
    for name, reason in BAD.items():
        for label, evaluators in (("none", None), ("disabled", {"a.test": {"kind": "disabled"}})):
            yield Case(5, f"{name} as a proxy, {label}",
                       order("a.test", evaluators, proxy={
                           "kind": "https", "host": f"{name}.localhost", "port": "$A"}),
                       f"refused {reason} | 0 requests", ((SERVER, tls(name)),), requests)

    # Keys of pins in other spellings than the request's host, with a pin that the server does not match.
    pinned_elsewhere = "refused certificatePinningFailed | 0 requests"
    for host, key in (
        ("good-ec.localhost", "GOOD-EC.LOCALHOST"), ("good-ec.localhost", "good-ec.localhost."),
        ("GOOD-EC.localhost", "good-ec.localhost"), ("good-ec.localhost", "*.localhost"),
        ("good-ec.localhost", "%67ood-ec.localhost"),
        ("xn--bcher-kva.localhost", "b\u00fccher.localhost"), ("b\u00fccher.localhost", "xn--bcher-kva.localhost"),
        ("B\u00dcCHER.localhost", "b\u00fccher.localhost"), ("b%C3%BCcher.localhost", "b\u00fccher.localhost"),
        ("bu\u0308cher.localhost", "b\u00fccher.localhost"),
        ("xn--BCHER-KVA.localhost", "B\u00dccher.localhost"), ("b\u00fccher\u3002localhost", "b\u00fccher.localhost"),
    ):
        server = "good-ec" if "good" in host.lower() else "xn--bcher-kva"
        # Every spelling has to find the pin; a spelling that is not a host is refused when the manager is made.
        wanted = pinned_elsewhere if "%67" not in key else "refused invalidEvaluator | 0 requests"
        if "%" in host:
            yield Case(5, f"a host in percent-encoding: {host}", order(host, {key: OTHER_PIN}),
                       "error unsupported | 0 requests", ((SERVER, tls(server)),), requests, reaches=False)
            continue
        yield Case(5, f"pin of {key} for {host}", order(host, {key: OTHER_PIN}), wanted, ((SERVER, tls(server)),), requests,
                   reaches=wanted == pinned_elsewhere)
        if "%67" not in key:
            yield Case(5, f"own pin of {key} for {host}", order(host, {key: named(PIN, server)}), f"{OK} | 1 requests",
                       ((SERVER, tls(server)),), requests)
    for key in ("https://good-ec.localhost", "good-ec.localhost:443", "good-ec.*", "*", "*.*.localhost", "", "good ec",
                "g*d-ec.localhost", "good-ec.localhost/path", "user@good-ec.localhost", "[::1", "*.", "a..b"):
        yield Case(5, f"a key that matches nothing: {key!r}",
                   order("good-ec.localhost", {key: OTHER_PIN}, allHosts=False),
                   "refused invalidEvaluator | 0 requests", ((SERVER, tls("good-ec")),), requests, reaches=False)
    yield Case(5, "two keys for one host",
               order("good-ec.localhost", {"good-ec.localhost": named(PIN, "good-ec"), "GOOD-EC.localhost": OTHER_PIN}),
               "refused invalidEvaluator | 0 requests", ((SERVER, tls("good-ec")),), requests, reaches=False)
    yield Case(5, "no evaluator for the host", order("good-ec.localhost", {"a.test": {"kind": "disabled"}}),
               "refused noRequiredEvaluator | 0 requests", ((SERVER, tls("good-ec")),), requests)
    yield Case(5, "no evaluator needed", order("expired.localhost", {"a.test": {"kind": "disabled"}}, allHosts=False),
               "refused expired | 0 requests", ((SERVER, tls("expired")),), requests)
    yield Case(5, "a pin of no file", order("good-ec.localhost", {"good-ec.localhost": {"kind": "pinned", "files": []}}),
               "refused noCertificatesFound | 0 requests", ((SERVER, tls("good-ec")),), requests)
    yield Case(5, "a pin of another type", order(
        "good-ec.localhost", {"good-ec.localhost": {"kind": "pinned", "files": ["$CERTS/servers/good-ec.key"]}}),
        "refused invalidEvaluator | 0 requests", ((SERVER, tls("good-ec")),), requests)
    yield Case(5, "a redirect to a host without evaluator", {
        "verb": "call", "session": {"authorities": "$CERTS/root.pem", "evaluators": {"good-ec.localhost": {"kind": "default"}}},
        "calls": [{"url": "https://good-ec.localhost:$A/"}]}, "refused noRequiredEvaluator | 1 requests",
        ((redirecting("https://good-rsa.localhost:$B/"), tls("good-ec")), (SERVER, tls("good-rsa"))), requests)
    yield Case(5, "TLS 1.2 where 1.3 is the oldest", order("good-ec.localhost", None, tls13=True),
               "error tls handshake | 0 requests", ((SERVER, tls("good-ec", version=ssl.TLSVersion.TLSv1_2)),), requests)

    # Client certificates: sent only to the configured origins.
    identity = {"chain": "$CERTS/clients/client.pem", "key": "$CERTS/clients/client.key"}
    for name, origins, shown in (
        ("no list", None, "shown"), ("its origin", ["https://good-ec.localhost:$A"], "shown"),
        ("its origin in capitals", ["HTTPS://GOOD-EC.LOCALHOST:$A"], "shown"),
        ("another host", ["https://good-rsa.localhost:$A"], "not shown"),
        ("another port", ["https://good-ec.localhost"], "not shown"),
        ("a domain above", ["https://localhost:$A"], "not shown"),
    ):
        yield Case(5, f"client certificate, {name}",
                   order("good-ec.localhost", None, identity=identity, origins=origins), f"{OK} | {shown}",
                   ((SERVER, tls("good-ec", asks=True)),), shown_certificates)
    for name, origins in (("a list of none", []), ("no origin", ["good-ec.localhost"]), ("a path", ["https://a.test/b"]),
                          ("http", ["http://good-ec.localhost"]), ("a wildcard", ["https://*.localhost"])):
        yield Case(5, f"client certificate, {name}",
                   order("good-ec.localhost", None, identity=identity, origins=origins),
                   "error tls clientCertificate | none", ((SERVER, tls("good-ec", asks=True)),), shown_certificates,
                   reaches=False)
    yield Case(5, "client certificate over a redirect", {
        "verb": "call", "session": {"authorities": "$CERTS/root.pem", "identity": identity,
                                    "origins": ["https://good-ec.localhost:$A"]},
        "calls": [{"url": "https://good-ec.localhost:$A/"}]}, f"{OK} | shown, not shown",
        ((redirecting("https://good-rsa.localhost:$B/"), tls("good-ec", asks=True)),
         (SERVER, tls("good-rsa", asks=True))), shown_certificates)


def redirecting(location):
    def handle(connection):
        while connection.request():
            target = connection.server.scene.filled_in(location)
            connection.send(response(b"", f"Location: {target}", status="302 Found"))
    return handle


def shown_certificates(scene):
    return ", ".join("shown" if certificate else "not shown"
                     for server in scene.servers for certificate in server.certificates) or "none"
