"""Feeds that a test steers: Starlette and sse-starlette over uvicorn.

    feeds.py ADDRESS PORT

KEY is a word of the test's own. A feed of events has the ids 1 to N, and goes on after the Last-Event-ID that it is sent.

    GET  /ready                           204
    GET  /events/KEY?count=N&held=H       N events; each of the last H waits for a pass
    GET  /cut/KEY?count=N&after=A         N events, A to a response, which then breaks off; at the end 204
    POST /pass/KEY                        lets one event through
    GET  /flood/KEY?bytes=N               N bytes of text in lines, as fast as they are taken
    GET  /written/KEY                     how many of these were taken
    GET  /ended/KEY                       204, once that response is over
    GET  /zeros?bytes=N                   N bytes of zero, coded by gzip: a thousandth of that on the wire
"""

import asyncio
import base64
import collections
import random
import sys
import zlib

import uvicorn
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

# Text that gzip makes little smaller, in lines of 1 KiB; the same in every run.
LINE_BYTES = 1024
BLOCK = b"".join(
    base64.b64encode(random.Random(17).randbytes(48 * LINE_BYTES))[start:start + LINE_BYTES - 1] + b"\n"
    for start in range(0, 64 * (LINE_BYTES - 1), LINE_BYTES - 1))

passes = collections.defaultdict(lambda: asyncio.Semaphore(0))
written_bytes = collections.Counter()
ends = collections.defaultdict(asyncio.Event)


class CutOff(Exception):
    """Ends a response before its end."""


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
    Route("/zeros", zeros),
])

if __name__ == "__main__":
    # A response that is cut is an error of the app's, which uvicorn would write down with its stack.
    uvicorn.run(app, host=sys.argv[1], port=int(sys.argv[2]), log_level="critical", access_log=False)
