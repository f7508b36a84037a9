"""An origin server that a test controls, behind the proxies and at the far end of the cable.

    origin.py ADDRESS PORT

KEY is a unique word of the test. Every complete request to a path with a KEY is recorded.

    GET  /ready                              204
    GET  /cached/KEY?control=C&age=A         "version N", with the Cache-Control C, an ETag and the Age A, if given;
                                             304 if the version is unchanged
    POST /change/KEY                         changes the version
    POST /fail/KEY                           makes /cached/KEY answer 503 from now on
    GET  /gated/KEY?before=N&after=M         N bytes, and M more when the gate KEY is open
    *    /held/KEY                           204 when the gate KEY is open
    POST /open/KEY                           opens the gate
    GET  /broken/KEY?after=N                 states a greater length than the N bytes that it sends, and resets the connection
    *    /dropped/KEY                        closes the connection without an answer
    *    /taken/KEY                          {"length": L} of the received body
    *    /slowly/KEY                         the same, after a delay
    GET  /seen?prefix=P&count=C              {KEY: number of requests} of the keys with the prefix, once there are C requests
    GET  /log/KEY                            [{"method", "condition", "status"}] of every request with the KEY
"""

import asyncio
import collections
import json
import sys
import urllib.parse

THINKING_SECONDS = 0.02


class Request:
    def __init__(self, method, target, fields, body):
        self.method, self.fields, self.body = method, fields, body
        address = urllib.parse.urlsplit(target)
        self.query = dict(urllib.parse.parse_qsl(address.query))
        self.verb, _, self.key = address.path.lstrip("/").partition("/")

    def number(self, name):
        return int(self.query.get(name, 0))


class Origin:
    def __init__(self):
        self.versions = collections.Counter()
        self.failing = set()
        self.gates = collections.defaultdict(asyncio.Event)
        self.logs = collections.defaultdict(list)
        self.news = asyncio.Condition()

    async def note(self, request):
        entry = {"method": request.method, "condition": request.fields.get("if-none-match", ""), "status": 0}
        async with self.news:
            self.logs[request.key].append(entry)
            self.news.notify_all()
        return entry

    async def serve(self, reader, writer):
        try:
            while request := await read_request(reader):
                entry = {}
                if request.key and request.verb != "log":
                    entry = await self.note(request)
                answer = getattr(self, "answer_" + request.verb, self.answer_nothing)
                entry["status"] = await answer(request, writer)
                await writer.drain()
                if request.fields.get("connection", "").lower() == "close":
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def answer_ready(self, _request, writer):
        return send(writer, 204)

    async def answer_nothing(self, _request, writer):
        return send(writer, 404)

    async def answer_cached(self, request, writer):
        if request.key in self.failing:
            return send(writer, 503)
        version = self.versions[request.key]
        fields = {"ETag": f'"v{version}"', "Cache-Control": request.query.get("control", "max-age=60")}
        if "age" in request.query:
            fields["Age"] = request.query["age"]
        if request.fields.get("if-none-match") == fields["ETag"]:
            return send(writer, 304, fields)
        return send(writer, 200, fields, f"version {version}".encode())

    async def answer_change(self, request, writer):
        self.versions[request.key] += 1
        return send(writer, 204)

    async def answer_fail(self, request, writer):
        self.failing.add(request.key)
        return send(writer, 204)

    async def answer_gated(self, request, writer):
        before, after = request.number("before"), request.number("after")
        status = send(writer, 200, length=before + after)
        writer.write(b"b" * before)
        await writer.drain()
        await self.gates[request.key].wait()
        writer.write(b"a" * after)
        return status

    async def answer_held(self, request, writer):
        await self.gates[request.key].wait()
        return send(writer, 204)

    async def answer_open(self, request, writer):
        self.gates[request.key].set()
        return send(writer, 204)

    async def answer_broken(self, request, writer):
        after = request.number("after")
        send(writer, 200, length=2 * after + 1)
        writer.write(b"b" * after)
        await writer.drain()
        await self.gates[request.key].wait()
        raise ConnectionResetError

    async def answer_dropped(self, _request, _writer):
        raise ConnectionResetError

    async def answer_taken(self, request, writer):
        return send_json(writer, {"length": len(request.body)})

    async def answer_slowly(self, request, writer):
        await asyncio.sleep(THINKING_SECONDS)
        return send_json(writer, {"length": len(request.body)})

    async def answer_seen(self, request, writer):
        prefix = request.query.get("prefix", "")

        def seen():
            return {key: len(log) for key, log in self.logs.items() if key.startswith(prefix)}

        async with self.news:
            await self.news.wait_for(lambda: sum(seen().values()) >= request.number("count"))
        return send_json(writer, seen())

    async def answer_log(self, request, writer):
        return send_json(writer, self.logs[request.key])


async def read_request(reader):
    """The next request of the connection; None at its end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    method, target, _ = first.split(" ")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if fields.get("transfer-encoding", "").lower() == "chunked":
        body = b"".join([piece async for piece in chunks(reader)])
    else:
        body = await reader.readexactly(int(fields.get("content-length", 0)))
    return Request(method, target, fields, body)


async def chunks(reader):
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        yield await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")


def send(writer, status, fields=None, body=b"", length=None):
    lines = [f"HTTP/1.1 {status} Any", *(f"{name}: {value}" for name, value in (fields or {}).items())]
    if status not in (204, 304):
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
    return status


def send_json(writer, value):
    return send(writer, 200, {"Content-Type": "application/json"}, json.dumps(value).encode())


async def main():
    address, port = sys.argv[1], int(sys.argv[2])
    server = await asyncio.start_server(Origin().serve, address, port, backlog=1024)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
