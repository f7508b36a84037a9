"""Feeds that a test controls, made with Starlette, sse-starlette and uvicorn.

    feeds.py ADDRESS PORT

KEY is a unique word of the test. A feed has events with the ids 1 to N, and continues after the received Last-Event-ID.

    GET  /ready                           204
    GET  /events/KEY?count=N&held=H       N events; each of the last H waits for a POST to /pass/KEY
    GET  /cut/KEY?count=N&after=A         N events, A per response, which is then truncated; at the end 204
    POST /pass/KEY                        lets one event through
    GET  /flood/KEY?bytes=N               N bytes of text in lines, as fast as the client reads
    GET  /written/KEY                     the number of these bytes that were sent
    GET  /ended/KEY                       204, once that response is over
    POST /sink?rate=R                     the length of the body, which is read at R bytes a second, or at full speed
    GET  /zeros?bytes=N                   N zero bytes, compressed by gzip to about a thousandth
"""

import asyncio
import base64
import collections
import random
import socket
import sys
import time
import zlib

import uvicorn
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

# Text that gzip hardly compresses, in lines of 1 KiB; the same in every run.
LINE_BYTES = 1024
BLOCK = b"".join(
    base64.b64encode(random.Random(17).randbytes(48 * LINE_BYTES))[start:start + LINE_BYTES - 1] + b"\n"
    for start in range(0, 64 * (LINE_BYTES - 1), LINE_BYTES - 1))

passes = collections.defaultdict(lambda: asyncio.Semaphore(0))
written_bytes = collections.Counter()
ends = collections.defaultdict(asyncio.Event)


class CutOff(Exception):
    """Truncates a response."""


def number(request, name):
    return int(request.query_params.get(name, 0))


def last_event(request):
    return int(request.headers.get("last-event-id", 0))


def event(index):
    return {"id": str(index), "event": "tick", "data": f'{{"number": {index}}}'}


async def events(request):
    count, held, key = number(request, "count"), number(request, "held"), request.path_params["key"]

    async def body():
        for index in range(last_event(request) + 1, count + 1):
            if index > count - held:
                await passes[key].acquire()
            yield event(index)

    return EventSourceResponse(body())


async def cut(request):
    count, after, last = number(request, "count"), number(request, "after"), last_event(request)
    if last == count:
        return Response(status_code=204)

    async def body():
        for index in range(last + 1, min(last + after, count) + 1):
            yield event(index)
        raise CutOff

    return EventSourceResponse(body())


async def let_pass(request):
    passes[request.path_params["key"]].release()
    return Response(status_code=204)


async def flood(request):
    key, count = request.path_params["key"], number(request, "bytes")

    async def body():
        try:
            while written_bytes[key] < count:
                piece = BLOCK[:count - written_bytes[key]]
                yield piece
                written_bytes[key] += len(piece)
        finally:
            ends[key].set()

    return StreamingResponse(body(), media_type="text/plain")


async def written(request):
    return PlainTextResponse(str(written_bytes[request.path_params["key"]]))


async def ended(request):
    await ends[request.path_params["key"]].wait()
    return Response(status_code=204)


async def sink(request):
    rate, taken, started = number(request, "rate"), 0, time.monotonic()
    async for piece in request.stream():
        taken += len(piece)
        early = taken / rate - (time.monotonic() - started) if rate else 0
        # Shorter waits are no more exact.
        if early > 0.01:
            await asyncio.sleep(early)
    return PlainTextResponse(str(taken))


async def zeros(request):
    coder = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    block = bytes(1 << 20)
    coded = b"".join(coder.compress(block) for _ in range(number(request, "bytes") >> 20)) + coder.flush()
    return Response(coded, headers={"Content-Encoding": "gzip"}, media_type="application/octet-stream")


async def ready(_request):
    return Response(status_code=204)


app = Starlette(routes=[
    Route("/ready", ready),
    Route("/events/{key}", events),
    Route("/cut/{key}", cut),
    Route("/pass/{key}", let_pass, methods=["POST"]),
    Route("/flood/{key}", flood),
    Route("/written/{key}", written),
    Route("/ended/{key}", ended),
    Route("/sink", sink, methods=["POST"]),
    Route("/zeros", zeros),
])

if __name__ == "__main__":
    # Bound here, so that a port in use is reported.
    listener = socket.create_server((sys.argv[1], int(sys.argv[2])))
    # A truncated response is an error of the app, which uvicorn would log with its stack.
    uvicorn.Server(uvicorn.Config(app, log_level="critical", access_log=False)).run(sockets=[listener])
