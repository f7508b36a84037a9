"""Family 2 over HTTP/2: truncated responses, malformed header blocks, and unusable open connections."""

import re
import struct
import time

from ..case import Case
from ..servers import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PRIORITY, PUSH_PROMISE, RST_STREAM, SETTINGS,
    WINDOW_UPDATE, frame, http2, tls)

SOUND = '200 "sound"'

# Each misbehaves on the connection of its first request, and answers correctly on later ones.


def first(action):
    def respond(connection, stream):
        if connection.number == 1 and connection.count == 1:
            return action(connection, stream)
        connection.answer(stream)
    return respond


def partly(connection, stream, *then, length=None):
    connection.headers(stream, *((("content-length", str(length)),) if length else ()))
    connection.data(stream, b"ok")
    for data in then:
        if data == "close":
            return data
        connection.raw(data)


def resetting(code):
    return lambda stream: frame(RST_STREAM, 0, stream, struct.pack(">I", code))


# After a violation, libcurl 7.88 may leave a response waiting until its idle limit.
CUT = "error (protocolViolation|truncated|reset|timeout idle)"


def goaway(code, last=0):
    return frame(GOAWAY, 0, 0, struct.pack(">II", last, code))


def ending(stream):
    return frame(DATA, END_STREAM, stream, b"end")


H2_CUTS = {
    # name: the frames after HEADERS and DATA, and whether a length is stated
    "RST_STREAM NO_ERROR": (lambda stream: [resetting(0)(stream)], None),
    "RST_STREAM NO_ERROR, with length": (lambda stream: [resetting(0)(stream)], 5),
    "DATA and RST_STREAM NO_ERROR in one record": (
        lambda stream: [frame(DATA, 0, stream, b"x") + resetting(0)(stream)], None),
    "DATA, RST_STREAM NO_ERROR and GOAWAY in one record": (
        lambda stream: [frame(DATA, 0, stream, b"x") + resetting(0)(stream) + goaway(0, stream), "close"], None),
    "RST_STREAM CANCEL": (lambda stream: [resetting(8)(stream)], None),
    "RST_STREAM INTERNAL_ERROR": (lambda stream: [resetting(2)(stream)], None),
    "RST_STREAM HTTP_1_1_REQUIRED": (lambda stream: [resetting(13)(stream)], 5),
    "DATA on stream 0": (lambda stream: [frame(DATA, 0, 0, b"x")], None),
    "DATA padded beyond its length": (lambda stream: [frame(DATA, 8, stream, b"\xff")], None),
    "HEADERS on stream 2": (lambda stream: [frame(HEADERS, END_HEADERS, 2, b"\x88")], None),
    "CONTINUATION of nothing": (lambda stream: [frame(CONTINUATION, END_HEADERS, stream, b"\x88")], None),
    "SETTINGS of 5 bytes": (lambda stream: [frame(SETTINGS, 0, 0, b"12345")], None),
    "WINDOW_UPDATE of 0": (lambda stream: [frame(WINDOW_UPDATE, 0, 0, b"\0\0\0\0")], None),
    "window beyond 2^31": (lambda stream: [frame(WINDOW_UPDATE, 0, 0, b"\x7f\xff\xff\xff")] * 2, None),
    "PUSH_PROMISE": (lambda stream: [frame(PUSH_PROMISE, END_HEADERS, stream, b"\0\0\0\2\x82")], None),
    "frame of 2^24": (lambda stream: [b"\xff\xff\xff\0\0" + struct.pack(">I", stream)], None),
    "GOAWAY of an error": (lambda stream: [goaway(1), "close"], None),
    "end of the connection": (lambda stream: ["close"], None),
    "end of the connection, with length": (lambda stream: ["close"], 5),
    "more than the length": (lambda stream: [frame(DATA, END_STREAM, stream, b"kokok")], 5),
    "less than the length": (lambda stream: [frame(DATA, END_STREAM, stream, b"")], 5),
    "PING of 7 bytes": (lambda stream: [frame(PING, 0, 0, b"1234567")], None),
    "PING of 7 bytes, and more DATA": (
        lambda stream: [frame(PING, 0, 0, b"1234567"), frame(DATA, END_STREAM, stream, b"x" * 9000)], None),
    "PRIORITY of 4 bytes": (lambda stream: [frame(PRIORITY, 0, stream, b"1234")], None),
}

WINDOW = frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1))

# Ends of a connection after a response without a length, each as the records in which it is sent.
H2_ENDS = {
    "its end and GOAWAY in one record": lambda stream: [ending(stream) + goaway(0, stream), "close"],
    "its end and GOAWAY in two records": lambda stream: [ending(stream), goaway(0, stream), "close"],
    "GOAWAY and its end in two records": lambda stream: [goaway(0, stream), ending(stream), "close"],
    "a PING, and then its end and GOAWAY": lambda stream: [
        frame(PING, 0, 0, b"12345678"), ending(stream) + goaway(0, stream)],
    "SETTINGS, its end and GOAWAY in one record": lambda stream: [
        frame(SETTINGS, 0, 0) + ending(stream) + goaway(0, stream), "close"],
    "WINDOW_UPDATE and its end in two records": lambda stream: [WINDOW, ending(stream)],
    "its end, as long as RST_STREAM": lambda stream: [
        frame(DATA, 0, stream, b"e"), frame(DATA, END_STREAM | 8, stream, b"\x01nd\0")],
    "a late end and WINDOW_UPDATE in two records": lambda stream: [
        frame(DATA, 0, stream, b"end"), frame(DATA, END_STREAM, stream, b""), WINDOW],
    "a PING, its end and GOAWAY in one record": lambda stream: [
        frame(PING, 0, 0, b"12345678") + ending(stream) + goaway(0, stream)],
    "a first GOAWAY, a PING and its end in one record": lambda stream: [
        goaway(0, (1 << 31) - 1) + frame(PING, 0, 0, b"12345678") + ending(stream)],
    "a late end of padding, as long as RST_STREAM": lambda stream: [
        frame(DATA, 0, stream, b"end"), frame(DATA, END_STREAM | 8, stream, b"\x03\0\0\0")],
    "trailers and GOAWAY in one record": lambda stream: [
        frame(DATA, 0, stream, b"end"), frame(HEADERS, END_HEADERS | END_STREAM, stream, b"\x40\x01a\x01b")
        + goaway(0, stream), "close"],
    "its end and GOAWAY, and then DATA": lambda stream: [
        ending(stream) + goaway(0, stream), frame(DATA, 0, stream, b"x" * 100)],
}

# Ends of the response to a request with a body, for which the server may send further frames.
H2_ENDS_OF_UPLOADS = {
    "its end and WINDOW_UPDATE in two records": lambda stream: [ending(stream), WINDOW],
    "its end and RST_STREAM NO_ERROR in two records": lambda stream: [ending(stream), resetting(0)(stream)],
}

# Header blocks that no decoder can follow (RFC 7541).
HPACK = {
    "an index of 0": b"\x80",
    "an index beyond the table": b"\xff\x80\x01",
    "an endless integer": b"\x88\x7f" + b"\xff" * 40,
    "Huffman of nonsense": b"\x88\x40\x84\xff\xff\xff\xff\x01a",
    "a string beyond the block": b"\x88\x40\x7f\xff\x7f" + b"a",
    "a table larger than allowed": b"\x3f\xe1\xff\xff\x7f\x88",
    "no status": b"\x40\x01a\x01b",
    "two states": b"\x88\x88",
    "a status of letters": b"\x48\x03abc",
    "a name in capitals": b"\x88\x40\x01A\x01b",
    "connection": b"\x88\x40\x0aconnection\x05close",
    "a status after a field": b"\x40\x01a\x01b\x88",
    "a pseudo field of requests": b"\x88\x82",
    "a LF in a value": b"\x88\x40\x01a\x03b\nc",
    "a NUL in a value": b"\x88\x40\x01a\x03b\0c",
}


def h2_order(first=None, times=1, **session):
    call = {"url": "https://good-ec.localhost:$A/"}
    calls = [call | (first or {})] + [call] * times
    return {"verb": "call", "session": {"authorities": "$CERTS/root.pem", "connections": 1, "idle": 3} | session,
            "calls": calls}


def connections(scene):
    return f"{scene.servers[0].connections} connections"


def cases():
    secure = tls(protocols=("h2",))
    def refusing(connection, stream):
        if connection.number > 1:
            connection.answer(stream)
    yield Case(2, "HTTP/2, MAX_CONCURRENT_STREAMS of 0 from the start", h2_order({"total": 1}, connections=None),
               f"error timeout total; {SOUND}", ((http2(refusing, settings={3: 0}), secure),))
    upload = {"kind": "upload", "body": "b"}
    plain = h2_order(http2WithoutTLS=True)
    plain["calls"] = [call | {"url": "http://127.0.0.1:$A/"} for call in plain["calls"]]
    ways = (("HTTP/2", h2_order(), secure), ("HTTP/2, upload", h2_order(upload), secure), ("HTTP/2 without TLS", plain, None))
    for way, order, context in ways:
        for name, (following, length) in H2_CUTS.items():
            def cut(connection, stream, following=following, length=length):
                return partly(connection, stream, *following(stream), length=length)
            yield Case(2, f"{way}, {name}", order, re.compile(f"{CUT}; {SOUND}"), ((http2(first(cut)), context),))
        for name, following in (H2_ENDS | (H2_ENDS_OF_UPLOADS if "upload" in way else {})).items():
            def whole(connection, stream, following=following):
                return partly(connection, stream, *following(stream))
            # libcurl 7.88 can lose trailers at the end of a connection, which is an error then.
            lost = "|error truncated" if name.startswith("trailers") else ""
            yield Case(2, f"{way}, {name}", order, re.compile(f'(200 "okend"{lost}); {SOUND}'),
                       ((http2(first(whole)), context),))
    for name, (following, length) in H2_CUTS.items():
        # Of two responses, one is complete before the other is cut.
        def neighbours(connection, stream, following=following, length=length):
            if connection.number > 1 or connection.count != 3:
                return None if connection.number == 1 and connection.count == 2 else connection.answer(stream)
            connection.answer(stream - 2, b"other")
            return partly(connection, stream, *following(stream), length=length)
        order = h2_order({"total": 5})
        order["calls"][1] = order["calls"][1] | {"times": 2, "parallel": True}
        yield Case(2, f"HTTP/2, {name} beside another response", order, re.compile(
            rf'{SOUND}; 1 x {CUT}, 1 x 200 "other"'),
            ((http2(neighbours), secure),))
    for name, block in HPACK.items():
        def hostile(connection, stream, block=block):
            connection.raw(frame(HEADERS, END_HEADERS | END_STREAM, stream, block))
        yield Case(2, f"HPACK, {name}", h2_order(), re.compile(f"{CUT}; {SOUND}"),
                   ((http2(first(hostile)), secure),))

    setting = lambda key, value: frame(SETTINGS, 0, 0, struct.pack(">HI", key, value))
    for name, data in {
        "MAX_CONCURRENT_STREAMS of 0": setting(3, 0), "INITIAL_WINDOW_SIZE of 2^31": setting(4, 1 << 31),
        "MAX_FRAME_SIZE of 0": setting(5, 0), "MAX_FRAME_SIZE of 2^24": setting(5, 1 << 24),
        "ENABLE_PUSH of 2": setting(2, 2), "HEADER_TABLE_SIZE of 0": setting(1, 0),
        "HEADER_TABLE_SIZE of 2^32-1": setting(1, 0xFFFFFFFF), "MAX_HEADER_LIST_SIZE of 0": setting(6, 0),
        "an unknown setting": setting(0xFFFF, 1), "GOAWAY": goaway(0, 1), "GOAWAY of an error": goaway(11, 1),
    }.items():
        # The connection stays open but may be unusable: later calls use another.
        def useless(connection, stream, data=data):
            connection.answer(stream)
            connection.raw(data)
        order = h2_order(times=2, connections=None)
        order["calls"][1] = order["calls"][1] | {"wait": 100}
        yield Case(2, f"HTTP/2, {name} after an answer", order,
                   re.compile(rf"{SOUND}; {SOUND}; {SOUND} \| [12] connections"), ((http2(first(useless)), secure),),
                   connections, seconds=20)
    for name, frames in {
        "an answer to a request that is not there yet": lambda c: frame(
            HEADERS, END_HEADERS, 3, b"\x88") + frame(DATA, END_STREAM, 3, b"forged"),
        "DATA behind the end": lambda c: frame(DATA, END_STREAM, 1, b"forged"),
        "a second answer": lambda c: frame(HEADERS, END_HEADERS, 1, b"\x88") + frame(DATA, END_STREAM, 1, b"forged"),
        "trailers behind the end": lambda c: frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\x88"),
        "a push": lambda c: frame(PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\2\x82\x87\x84") + frame(
            HEADERS, END_HEADERS, 2, b"\x88") + frame(DATA, END_STREAM, 2, b"forged"),
    }.items():
        def forging(connection, stream, frames=frames):
            connection.answer(stream)
            connection.raw(frames(connection))
        order = h2_order(connections=None)
        order["calls"][1] = order["calls"][1] | {"wait": 100}
        yield Case(2, f"HTTP/2, {name}", order, f"{SOUND}; {SOUND}", ((http2(first(forging)), secure),))
    # The rest of a response that was given up answers nothing either, and is no reason for another connection.
    def given_up(connection, stream):
        connection.headers(stream)
        connection.data(stream, b"ok" * 5_000)
        time.sleep(0.3)
        connection.data(stream, b"ok" * 5_000)
    order = h2_order({"cancelAfter": 200}, times=3, connections=None)
    order["calls"][1] = order["calls"][1] | {"wait": 400}
    yield Case(2, "HTTP/2, a response that is given up", order,
               f"error explicitlyCancelled; {SOUND}; {SOUND}; {SOUND} | 1 connections",
               ((http2(first(given_up)), secure),), connections)
    upload = h2_order({"kind": "upload", "body": "b" * 3_000_000}, idle=1)
    answering = http2(lambda connection, stream: connection.answer(stream), pause=0.015)
    yield Case(2, "HTTP/2, a body that is received slowly", upload, f"{SOUND}; {SOUND}", ((answering, secure),))
    def interleaved(connection, stream):
        connection.headers(stream)
        connection.data(stream, b"ok")
        connection.raw(frame(HEADERS, END_HEADERS, stream, b"\x88"))
        connection.data(stream, b"forged", end=True)
    yield Case(2, "HTTP/2, a second head in the body", h2_order({"total": 5}), re.compile(f"{CUT}; {SOUND}"),
               ((http2(first(interleaved)), secure),))
    def stalled(connection, stream):
        connection.headers(stream)
    yield Case(2, "HTTP/2, an answer that never ends", h2_order({"total": 0.5}), f"error timeout total; {SOUND}",
               ((http2(first(stalled)), secure),))
    for begins in (False, True):
        # The first connection dies after its first answer, or within its second.
        def dying(connection, stream, begins=begins):
            if connection.number > 1 or connection.count == 1:
                return connection.answer(stream)
            return partly(connection, stream) if begins else None
        within = "within an answer" if begins else "after an answer"
        for cache in (False, True):
            for name, call, idle, error in (
                    ("idle limit", {}, 0.7, "timeout idle"), ("total limit", {"total": 0.7}, 60, "timeout total"),
                    ("cancellation", {"cancelAfter": 700}, 60, "explicitlyCancelled")):
                order = h2_order(times=3, connections=None, idle=idle, cache=cache)
                order["calls"][1] = order["calls"][1] | call
                yield Case(2, f"HTTP/2, silence {within}, {name}{', cache' if cache else ''}", order,
                           f"{SOUND}; error {error}; {SOUND}; {SOUND} | 2 connections",
                           ((http2(dying), secure),), connections)
    yield Case(2, "HTTP/2, HTTP/1.1 instead", h2_order(), re.compile(f"{CUT}; {SOUND}"), ((http2(
        first(lambda connection, stream: connection.answer(stream)), preface=b"HTTP/1.1 400 No\r\n\r\n"), secure),))
