"""Family 9: public suffixes and the rules of cookies (RFC 6265bis).

The server is an HTTP proxy, so that it answers for every host by name.
"""

from ..case import Case
from ..servers import by_request, response, tls

SUFFIXES = (
    "com", "org", "net", "de", "io", "dev", "app", "co.uk", "org.uk", "ac.uk", "com.au", "co.jp", "tokyo.jp", "com.br",
    "co.nz", "co.za", "com.cn", "edu.cn", "gov.in", "co.kr", "com.mx", "com.tr", "github.io", "gitlab.io",
    "herokuapp.com", "vercel.app", "netlify.app", "pages.dev", "workers.dev", "web.app", "firebaseapp.com",
    "cloudfront.net", "s3.amazonaws.com", "azurewebsites.net", "blogspot.com", "appspot.com", "fly.dev",
    "xn--p1ai", "xn--fiqs8s", "xn--55qx5d.cn", "yokohama.jp", "kawasaki.jp", "ck", "bd",
)
# Rules with wildcards and exceptions: a host, a domain, and whether a cookie of the host may have the domain.
RULES = (
    ("a.b.kawasaki.jp", "b.kawasaki.jp", False), ("a.city.kawasaki.jp", "city.kawasaki.jp", True),
    ("a.b.ck", "b.ck", False), ("a.www.ck", "www.ck", True), ("a.b.c.ck", "b.c.ck", True),
    ("a.example.co.uk", "example.co.uk", True), ("a.example.com", "example.com", True),
    ("a.user.github.io", "user.github.io", True), ("a.unknown-tld-x", "unknown-tld-x", False),
    ("a.EXAMPLE.com", "Example.COM", True), ("a.example.com", ".example.com", True),
    ("a.example.com", "..example.com", False), ("a.example.com", "example.com.", False),
    ("a.example.com", "ample.com", False), ("a.example.com", "other.com", False), ("a.example.com", "b.a.example.com", False),
    ("127.0.0.1", "0.0.1", False), ("127.0.0.1", "1", False),
    # Domains are compared in ASCII: one in UTF-8 is another domain.
    ("a.xn--bcher-kva.example", "xn--bcher-kva.example", True), ("a.xn--bcher-kva.example", "b\u00fccher.example", False),
)
# Set-Cookie on http://www.example.com/dir/page; the value of Cookie in a later request to that page.
HEADERS = {
    "plain": ("a=b", "a=b"),
    "no name": ("=b", "b"),
    "no name and no equals sign": ("b", "b"),
    "no name that looks like one": ("=a=b", "a=b"),
    "no name and a prefix": ("=__Secure-a=b", None),
    "no name and a host prefix": ("__Host-a", None),
    "empty": ("", None),
    "an equals sign": ("=", None),
    "__Secure- over http": ("__Secure-a=b; Secure", None),
    "__Secure- without Secure": ("__Secure-a=b", None),
    "__secure- in small letters": ("__secure-a=b; Secure", None),
    "__Host- over http": ("__Host-a=b; Secure; Path=/", None),
    "__Host- with a domain": ("__Host-a=b; Secure; Path=/; Domain=www.example.com", None),
    "Secure over http": ("a=b; Secure", None),
    "Max-Age=0": ("a=b; Max-Age=0", None),
    "negative Max-Age": ("a=b; Max-Age=-1", None),
    "Max-Age of 400 digits": ("a=b; Max-Age=" + "9" * 400, "a=b"),
    "Max-Age of letters": ("a=b; Max-Age=x", "a=b"),
    "Max-Age wins": ("a=b; Max-Age=100; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=b"),
    "Expires in the past": ("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", None),
    "Expires in the year 9999": ("a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "a=b"),
    "Expires of nonsense": ("a=b; Expires=nonsense", "a=b"),
    "Expires in the year 99999": ("a=b; Expires=Fri, 31 Dec 99999 23:59:59 GMT", "a=b"),
    "Path": ("a=b; Path=/dir", "a=b"),
    "Path elsewhere": ("a=b; Path=/other", None),
    "Path that begins the same": ("a=b; Path=/di", None),
    "Path without a slash": ("a=b; Path=dir", "a=b"),
    "Domain twice, the last wins": ("a=b; Domain=other.com; Domain=example.com", "a=b"),
    "Domain twice, the last is foreign": ("a=b; Domain=example.com; Domain=other.com", None),
    "empty Domain": ("a=b; Domain=", "a=b"),
    "an attribute of 1025 bytes": ("a=b; Path=/" + "x" * 1025, "a=b"),
    "name and value of 4096 bytes": ("a=" + "b" * 4095, "a=" + "b" * 4095),
    "name and value of 4097 bytes": ("a=" + "b" * 4096, None),
    "a control character": ("a=b\x01c", None),
    "a tab": ("a=b\tc", "a=b\tc"),
    "quotes": ('a="b"', 'a="b"'),
    "white space around": ("  a  =  b  ; Path=/", "a=b"),
    "a comma": ("a=b,c=d", "a=b,c=d"),
    "HttpOnly": ("a=b; HttpOnly", "a=b"),
    "unknown attributes": ("a=b; Priority=High; Partitioned; X=Y", "a=b"),
}


def cookies(header, first, then):
    """A call that sets a cookie, and one that may send it."""
    server = by_request(lambda request: response(b"ok", *([f"Set-Cookie: {header}"] if request.target == first else [])))
    order = {"verb": "call", "session": {"proxy": {"port": "$A"}}, "calls": [{"url": first}, {"url": then}]}
    return order, (server,)


def sent(scene):
    requests = scene.requests
    return f"Cookie: {requests[1].value('Cookie')}" if len(requests) > 1 else f"{len(requests)} requests"


OK = '200 "ok"; 200 "ok" | '


def cases():
    for suffix in SUFFIXES:
        order, servers = cookies(f"a=b; Domain={suffix}", f"http://one.{suffix}/", f"http://two.{suffix}/")
        yield Case(9, f"Domain={suffix} from a host below", order, OK + "Cookie: None", servers, sent)
        if suffix not in ("ck", "bd", "kawasaki.jp", "yokohama.jp"):
            site = f"site-of-a-test.{suffix}"
            order, servers = cookies(f"a=b; Domain={site}", f"http://one.{site}/", f"http://two.{site}/")
            yield Case(9, f"Domain={site} from a host below", order, OK + "Cookie: a=b", servers, sent)
    for host, domain, is_kept in RULES:
        sibling = "other." + domain.lower().strip(".") if is_kept else host
        header = f"a=b; Domain={domain}".encode().decode("latin-1")
        order, servers = cookies(header, f"http://{host}/", f"http://{sibling}/")
        yield Case(9, f"Domain={domain} from {host}", order, OK + f"Cookie: {'a=b' if is_kept else None}", servers, sent)
    for name, (header, expected) in HEADERS.items():
        page = "http://www.example.com/dir/page"
        order, servers = cookies(header, page, page + "2")
        yield Case(9, name, order, OK + f"Cookie: {expected}", servers, sent)
    order, servers = cookies("a=b; Domain=com", "http://com/", "http://com/")
    yield Case(9, "Domain of a host that is a suffix itself", order, OK + "Cookie: a=b", servers, sent)
    order, servers = cookies("a=b; Domain=127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1/")
    yield Case(9, "Domain of an address itself", order, OK + "Cookie: a=b", servers, sent)
    order, servers = cookies("a=b", "http://example.com/", "http://www.example.com/")
    yield Case(9, "no Domain, a host below", order, OK + "Cookie: None", servers, sent)
    # A cookie that TLS has set is not replaced by plain http (section 5.7, step 15).
    order = {"verb": "call", "session": {"authorities": "$CERTS/root.pem"}, "calls": [
        {"url": "https://good-ec.localhost:$A/"}, {"url": "http://good-ec.localhost:$B/"},
        {"url": "https://good-ec.localhost:$A/"}]}
    yield Case(9, "a Secure cookie replaced over http", order, '200 "ok"; 200 "ok"; 200 "ok" | a=secure',
               ((by_request(lambda request: response(b"ok", "Set-Cookie: a=secure; Secure")), tls()),
                by_request(lambda request: response(b"ok", "Set-Cookie: a=plain"))),
               lambda scene: scene.servers[0].requests[1].value("Cookie") or "none")
    yield Case(9, "a Secure cookie sent over http", order, '200 "ok"; 200 "ok"; 200 "ok" | none',
               ((by_request(lambda request: response(b"ok", "Set-Cookie: a=secure; Secure")), tls()),
                by_request(lambda request: response())),
               lambda scene: scene.servers[1].requests[0].value("Cookie") or "none")
    # A thousand cookies do not become a thousand fields of later requests.
    flood = [f"Set-Cookie: c{number}=v" for number in range(900)]
    yield Case(9, "900 cookies of one host", {
        "verb": "call", "session": {"proxy": {"port": "$A"}}, "calls": [{"url": "http://a.example.com/"}] * 2},
        OK + "50 to 180", (by_request(lambda request: response(b"ok", *flood)),),
        lambda scene: "50 to 180" if 50 <= (count := len((scene.requests[1].value("Cookie") or "").split(";"))) <= 180
        else f"{count}")
