"""Family 8: only owners can access files, files are replaced atomically, and only regular files are used."""

import os
import re
import socket
import stat
import time

from ..case import Case, mount_refusal
from ..servers import answers, by_request, once, response, tls

OK = '200 "ok"'
URL = "http://127.0.0.1:$A/"
EIO = "[0-9]+"


def make(kind, name="place"):
    """Makes something at the path of a file."""
    def prepare(scene):
        path = scene.folder / name
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        elif kind == "full folder":
            path.mkdir()
            (path / "inside").write_text("kept")
        elif kind == "socket":
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(path))
            listener.close()
        elif kind == "device":
            path.symlink_to("/dev/zero")
        elif kind == "null":
            path.symlink_to("/dev/null")
        elif kind == "link to nowhere":
            path.symlink_to(scene.folder / "nowhere")
        elif kind == "link in a circle":
            path.symlink_to(path)
        elif kind == "link":
            (scene.folder / "victim").write_text("victim")
            path.symlink_to(scene.folder / "victim")
        elif kind == "file":
            path.write_text("old")
        elif kind == "huge":
            with open(path, "wb") as file:
                file.truncate(1 << 40)
        elif kind == "unreadable tokens":
            path.write_text("not tokens: hunter2")
        elif kind == "proc":
            path.symlink_to("/proc/self/mem")
    return prepare


def left(scene, name="place"):
    """The type of the file at the path now."""
    path = scene.folder / name
    if not os.path.lexists(path):
        return "nothing"
    mode = os.lstat(path).st_mode
    kinds = {stat.S_IFIFO: "fifo", stat.S_IFDIR: "folder", stat.S_IFSOCK: "socket", stat.S_IFLNK: "link"}
    kind = kinds.get(stat.S_IFMT(mode))
    if kind == "folder":
        return f"folder of {len(list(path.iterdir()))}"
    return kind or f"file of {os.lstat(path).st_size}"


def victim(scene):
    path = scene.folder / "victim"
    return path.read_text() if path.exists() else "no victim"


def strays(scene):
    """Files that other users can read, and temporary files that were not removed."""
    open_to_others = [path.name for path in (scene.folder / "tmp").rglob("*") if path.lstat().st_mode & 0o077]
    return f"{len(list((scene.folder / 'tmp').iterdir()))} left behind" + (f", OPEN: {open_to_others}" if open_to_others else "")


def tokens(name, place="$DIR/place", **more):
    return {"verb": "file", "name": name, "path": place} | more


def call(**call):
    return {"verb": "call", "session": {"total": 4}, "calls": [{"url": URL} | call]}


NOT_A_FILE = ("fifo", "socket", "folder", "device", "null", "proc")


def cases():
    # The store of tokens.
    yield Case(8, "tokens are their owner's", tokens("save"), "saved, mode 600")
    for mask in (0, 0o022, 0o077, 0o777):
        yield Case(8, f"tokens with the umask {mask:o}", tokens("umask", count=mask), "saved, mode 600")
    for kind in NOT_A_FILE:
        after = {"folder": "folder of 0"}.get(kind, "link" if kind in ("device", "null", "proc") else kind)
        yield Case(8, f"tokens from a {kind}", tokens("load"), re.compile(rf"error (noTokens|unreadable {EIO}) \| {after}"),
                   prepare=make(kind), observe=left)
        # A link is replaced, not followed.
        refused = re.compile(rf"error (noTokens|unwritable {EIO}) \| {after}")
        yield Case(8, f"tokens into a {kind}", tokens("save"),
                   "saved, mode 600 | file of 51" if after == "link" else refused, prepare=make(kind), observe=left)
        yield Case(8, f"tokens cleared in a {kind}", tokens("clear"),
                   "cleared | nothing" if after == "link" else refused, prepare=make(kind), observe=left)
    yield Case(8, "tokens through a link", tokens("save"), "saved, mode 600 | victim", prepare=make("link"), observe=victim)
    yield Case(8, "tokens from a terabyte", tokens("load"), "error noTokens", prepare=make("huge"))
    yield Case(8, "tokens from something else", tokens("load"), "error noTokens", prepare=make("unreadable tokens"))
    yield Case(8, "tokens from nowhere", tokens("load"), "no tokens")
    yield Case(8, "tokens from a link in a circle", tokens("load"), re.compile(rf"error unreadable {EIO}"),
               prepare=make("link in a circle"))
    yield Case(8, "tokens into a folder that is not there", tokens("save", "$DIR/no/place"), re.compile(rf"error unwritable {EIO}"))
    yield Case(8, "tokens while a link is swapped", tokens("race", place="$DIR/place", count=400) | {"place": "$DIR/victim"},
               "raced | victim", prepare=make("link", "other"), observe=victim)

    # Uploaded files.
    server = (answers(response()),)
    for kind in NOT_A_FILE:
        if kind == "proc":
            continue
        yield Case(8, f"upload of a {kind}", call(kind="file", path="$DIR/place"),
                   re.compile(r"error (uploadFileNotReadable|requestBody)"), server, prepare=make(kind), reaches=False)
        yield Case(8, f"form with a {kind}", tokens("part"),
                   re.compile(r"error (bodyPartFile[A-Za-z]+|multipart|inputStreamReadFailed)"), prepare=make(kind))
    for kind in ("link to nowhere", "link in a circle"):
        yield Case(8, f"upload of a {kind}", call(kind="file", path="$DIR/place"),
                   "error uploadFileNotReadable", server, prepare=make(kind), reaches=False)
    for kind in ("fifo", "socket", "folder", "device"):
        yield Case(8, f"authorities from a {kind}", {
            "verb": "call", "session": {"authorities": "$DIR/place", "total": 4}, "calls": [{"url": URL}]},
            "error tls certificateAuthorities", server, prepare=make(kind), reaches=False)

    for kind in NOT_A_FILE:
        for part in ("chain", "key"):
            identity = {"chain": "$CERTS/clients/client.pem", "key": "$CERTS/clients/client.key", part: "$DIR/place"}
            yield Case(8, f"a client's {part} from a {kind}", {
                "verb": "call", "session": {"identity": identity, "total": 4}, "limits": {"memory": 48},
                "calls": [{"url": URL}]}, "error tls clientCertificate", server, prepare=make(kind), seconds=6,
                reaches=False)
        for evaluator in ("pinned files", "key files"):
            yield Case(8, f"{evaluator} from a {kind}", {
                "verb": "call", "session": {"evaluators": {"a.test": {"kind": evaluator, "files": ["$DIR/place"]}}},
                "limits": {"memory": 48}, "calls": [{"url": "https://a.test:$A/"}]},
                "refused invalidEvaluator", server, prepare=make(kind), seconds=6, reaches=False)
    for kind in ("fifo", "folder", "socket", "null"):
        def prepare(scene, kind=kind):
            make(kind)(scene)
            (scene.folder / "authorities").write_bytes((scene.certificates / "root.pem").read_bytes())
        secure = {"url": "https://good-ec.localhost:$A/"}
        yield Case(8, f"authorities that become a {kind}", {
            "verb": "call", "session": {"authorities": "$DIR/authorities", "total": 4},
            "calls": [secure | {"swap": ["$DIR/place", "$DIR/authorities"]}]},
            re.compile(r'(200 "ok" \| 1|(error tls|refused) [a-zA-Z]+ \| 0) requests'),
            ((answers(response()), tls()),), prepare=prepare, seconds=8, reaches=False,
            observe=lambda scene: f"{len(scene.requests)} requests")

    # Downloaded files.
    for options, kinds in (
        (["replace"], {
            "file": "200 2 bytes | file of 2", "link": "200 2 bytes | file of 2", "link to nowhere": "200 2 bytes | file of 2",
            "folder": "error downloadedFileMoveFailed | folder of 0",
            "full folder": "error downloadedFileMoveFailed | folder of 1",
            "fifo": "error downloadedFileMoveFailed | fifo", "socket": "error downloadedFileMoveFailed | socket",
        }),
        ([], {
            "file": "error downloadedFileMoveFailed | file of 3", "link": "error downloadedFileMoveFailed | link",
            "folder": "error downloadedFileMoveFailed | folder of 0", "fifo": "error downloadedFileMoveFailed | fifo",
            "link to nowhere": "error downloadedFileMoveFailed | link",
            "full folder": "error downloadedFileMoveFailed | folder of 1",
        }),
    ):
        for kind, expected in kinds.items():
            yield Case(8, f"download over a {kind}{', replacing' if options else ''}",
                       call(kind="download", path="$DIR/place", options=options), expected, server,
                       prepare=make(kind), observe=left)
    yield Case(8, "download through a link, the victim", call(kind="download", path="$DIR/place", options=["replace"]),
               "200 2 bytes | victim", server, prepare=make("link"), observe=victim)
    yield Case(8, "download that fails keeps the old file",
               call(kind="download", path="$DIR/place", options=["replace"]), "error truncated | file of 3",
               (once(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"),), prepare=make("file"), observe=left)
    yield Case(8, "download is never seen half", call(kind="download", path="$DIR/place", options=["replace"]),
               "200 131072 bytes | old or whole", (watched,), prepare=make("file"),
               observe=lambda scene: getattr(scene, "watched", "not watched"))
    yield Case(8, "download into its owner's folder alone", call(kind="download", path="$DIR/new/place", options=["folders"]),
               "200 2 bytes | 0 left behind", server, observe=strays)
    for name, disposition in {
        "..": '"../../escaped"', "an absolute path": '"/tmp/escaped"', "a backslash": '"..\\\\..\\\\escaped"',
        "dots": '".."', "a dot": '"."', "a hidden file": '".bashrc"', "NUL": '"a%00b"', "a device": '"CON"',
        "10,000 letters": '"' + "a" * 10_000 + '"', "nothing": '""', "escaped slashes": "UTF-8''..%2F..%2Fescaped",
        "overlong slashes": "UTF-8''..%c0%af..%c0%afescaped",
    }.items():
        star = "*" if disposition.startswith("UTF-8") else ""
        yield Case(8, f"a suggested name of {name}", call(kind="download", path="$DIR/into/", options=["folders"]),
                   "200 2 bytes | in the folder, not hidden",
                   (answers(response(b"ok", f"Content-Disposition: attachment; filename{star}={disposition}")),),
                   observe=suggested)

    # Stored files.
    yield Case(8, "a download that is cancelled",
               {"verb": "file", "name": "resume", "path": "-", "calls": [{"url": URL}]}, "resume data, modes 600", (slow,))
    for name, (handler, expected) in SPLICED.items():
        yield Case(8, f"a download that goes on with {name}", {
            "verb": "file", "name": "resume", "place": "again", "path": "-", "session": {"total": 8}, "calls": [{"url": URL}]},
            re.compile(rf"({expected}).*"), (handler,))
    yield Case(8, "a form that is written", tokens("multipart"), "written, mode 600")
    for kind in ("file", "fifo", "folder", "device", "link", "link to nowhere"):
        yield Case(8, f"a form that is written over a {kind}", tokens("multipart"),
                   re.compile(r"error (outputStream[A-Za-z]+|multipart)"), prepare=make(kind))
    fields = ("Set-Cookie: sid=secret; Max-Age=1000", "Cache-Control: max-age=1000", "Date: " + time.strftime(
        "%a, %d %b %Y %H:%M:%S GMT", time.gmtime()))
    for name, place in (("cookies on disk", None), ("cookies on disk, the cache in a chosen folder", "$DIR/chosen")):
        yield Case(8, name, {"verb": "file", "name": "stores", "path": "-", "place": place, "calls": [{"url": URL}]},
                   # Foundation writes the files anew, in folders that are closed to others.
                   re.compile(r'200 "secret";  \| cache: 6(00|44) in 700, cookies: 6(00|44) in 700'),
                   (answers(response(b"secret", *fields)),), observe=stored)
    yield from cache_cases()


def repeated(request):
    """A body of so many bytes as the path ends with, which repeats the path."""
    unit = f"{request.target};".encode()
    count = int(request.target.split("/")[-1])
    return response((unit * (count // len(unit) + 1))[:count], "Cache-Control: max-age=1000", 'ETag: "1"')


def cached(name=None, place=None, count=20, path="$DIR/place/cache"):
    return {"verb": "cache", "path": path, "value": "http://127.0.0.1:$A", "name": name, "place": place, "count": count}


def cache_cases():
    """A cache in files: whatever becomes of them, each call is answered right, and the first fault is reported."""
    server = (by_request(repeated),)
    full = dict(room="1m", known=mount_refusal(), seconds=30)
    yield Case(8, "a cache in an empty folder", cached(), "0 wrong, faults: 0, kept", server, seconds=30)
    yield Case(8, "a cache on a disk that it fills", cached(), "0 wrong, faults: 1, kept", server, **full)
    yield Case(8, "a cache on a disk that others have filled", cached(place="$DIR/place/filler"),
               "0 wrong, faults: 1, kept", server, **full)
    for damage in ("random bytes", "half", "empty", "a turned bit"):
        yield Case(8, f"a cache whose files become {damage}", cached(damage), "0 wrong, faults: 1, kept", server, seconds=30)
    for damage in ("another version", "a byte more", "fifo", "folder", "link", "nothing"):
        yield Case(8, f"a cache whose files become {damage}, which is no fault", cached(damage), "0 wrong, faults: 0, kept", server,
                   seconds=30)
    for kind in ("fifo", "socket", "device", "link to nowhere", "link in a circle", "link", "file", "huge"):
        yield Case(8, f"a cache whose salt is a {kind}", cached(path="$DIR"), "0 wrong, faults: 0, kept", server,
                   prepare=make(kind, "salt"), seconds=30)
    yield Case(8, "a cache whose salt is a folder", cached(path="$DIR"), "0 wrong, faults: 1, not kept", server,
               prepare=make("folder", "salt"), seconds=30)
    for kind in ("fifo", "socket", "device", "null", "file", "link to nowhere", "link in a circle"):
        yield Case(8, f"a cache in place of a {kind}", cached(path="$DIR/place"), "0 wrong, faults: 1, not kept", server,
                   prepare=make(kind), seconds=30)


FIRST = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nETag: \"a\"\r\nAccept-Ranges: bytes\r\n\r\n" + b"a" * 200_000


def resumed(fields, body, status="206 Partial Content", shift=0):
    """Interrupts a download in its first part, and answers the request for the rest."""
    def handle(connection):
        request = connection.request()
        if not request:
            return
        if connection.number == 1:
            connection.send(FIRST)
            connection.wait_for_end()
            return
        wanted = re.match(r"bytes=(\d+)-", request.value("Range") or "bytes=0-")
        start = int(wanted[1])
        text = fields.replace("START", str(start + shift)).replace("END", str(start + shift + body(start) - 1))
        connection.send(response(b"b" * body(start), *text.split("\n"), status=status))
    return handle


def rest(start):
    return 1_000_000 - start


SPLICED = {
    # A file has one version: it combines a's and b's only if the server states that they belong together.
    "the rest": (resumed('Content-Range: bytes START-END/1000000\nETag: "a"', rest), "206 1000000 bytes of ab"),
    "another version": (resumed('Content-Range: bytes START-END/1000000\nETag: "z"', rest), "error|200 .* of b"),
    "another total": (resumed('Content-Range: bytes START-END/2000000\nETag: "a"', rest), "error|200 .* of b"),
    "another start": (resumed('Content-Range: bytes START-END/1000000\nETag: "a"', rest, shift=-10), "error|200 .* of b"),
    "less than the rest": (
        resumed('Content-Range: bytes START-END/1000000\nETag: "a"', lambda start: 10), "error|200 .* of b"),
    "no Content-Range": (resumed('ETag: "a"', rest), "error|200 .* of b"),
    "nonsense as Content-Range": (resumed('Content-Range: bytes x-y/z\nETag: "a"', rest), "error|200 .* of b"),
    "a range of 2^64": (
        resumed('Content-Range: bytes 18446744073709551615-18446744073709551616/99999999999999999999\nETag: "a"', rest),
        "error|200 .* of b"),
    "parts": (resumed('Content-Type: multipart/byteranges; boundary=x\nETag: "a"', rest), "error|200 .* of b"),
    "the whole": (resumed('ETag: "z"', lambda start: 1000, status="200 OK"), "200 1000 bytes of b"),
    "no range is there": (resumed("Content-Range: bytes */1000", lambda start: 0, status="416 No"), "error|416|200 .* of b"),
}


def stored(scene):
    """The modes of the files with a secret under the home folder, and of their folders."""
    modes = {"cache": set(), "cookies": set()}
    for path in scene.folder.rglob("*"):
        if path.is_file() and b"secret" in path.read_bytes():
            kind = "cookies" if path.name == ".cookies.shared" else "cache"
            modes[kind].add(f"{path.lstat().st_mode & 0o777:o} in {path.parent.lstat().st_mode & 0o777:o}")
    return ", ".join(f"{kind}: {' '.join(sorted(found)) or 'not stored'}" for kind, found in modes.items())


def suggested(scene):
    if (scene.folder.parent / "escaped").exists() or (scene.folder / "escaped").exists():
        return "ESCAPED"
    files = list((scene.folder / "into").iterdir()) if (scene.folder / "into").exists() else []
    if len(files) != 1:
        return f"{len(files)} files in the folder"
    return "in the folder, hidden" if files[0].name.startswith(".") else "in the folder, not hidden"


def watched(connection):
    """Sends a body in pieces and checks the destination in between."""
    if not connection.request():
        return
    scene = connection.server.scene
    scene.watched = "old or whole"
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 131072\r\n\r\n")
    for _ in range(16):
        connection.send(b"a" * 8192)
        time.sleep(0.01)
        if (scene.folder / "place").stat().st_size not in (3, 131072):
            scene.watched = "HALF"
    connection.wait_for_end()


def slow(connection):
    if connection.request():
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nETag: \"a\"\r\nAccept-Ranges: bytes\r\n\r\n" + b"a" * 200_000)
        connection.wait_for_end()
