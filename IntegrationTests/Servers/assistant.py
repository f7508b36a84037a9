"""An assistant with the interface of OpenAI's API, and an event feed, made with Starlette and sse-starlette.

    POST /v1/chat/completions   {"stream": true, "messages": [...]}: an answer word by word, as chat.completion.chunk
                                events, then [DONE]; 401 without a bearer token; 400 for anything else
    GET  /users/NAME/events     six events with ids, three per connection; continues after Last-Event-ID, then 204
    GET  /ready                 204
"""

import json
import time

import anyio
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

WORD_SECONDS = 0.03
EVENTS_OF_A_CONNECTION = 3
EVENTS = [
    ("PushEvent", "first"), ("WatchEvent", "first"), ("ForkEvent", "first"),
    ("PushEvent", "second"), ("IssuesEvent", "second"), ("ReleaseEvent", "second")]


def failure(status, message):
    return JSONResponse({"error": {"message": message, "type": "invalid_request_error"}}, status)


def reply(messages):
    questions = [message for message in messages if message["role"] == "user"]
    return (
        f"You said: {questions[-1]['content']} That was question {len(questions)}. "
        "Every word of this answer is an event, 一字一句。")


async def chat(request):
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Bearer" or not token:
        return failure(401, "You didn't provide an API key.")
    try:
        body = await request.json()
        text = reply(body["messages"])
    except (ValueError, KeyError, IndexError, TypeError):
        return failure(400, "The body has no messages.")
    if body.get("stream") is not True:
        return failure(400, "Only stream: true is served.")

    def chunk(delta, reason=None):
        return json.dumps({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": int(time.time()), "model": body["model"],
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

    async def words():
        yield chunk({"role": "assistant", "content": ""})
        for number, word in enumerate(text.split(" ")):
            await anyio.sleep(WORD_SECONDS)
            yield chunk({"content": word if number == 0 else f" {word}"})
        yield chunk({}, "stop")
        yield "[DONE]"

    return EventSourceResponse(words(), sep="\n")


async def events(request):
    name = request.path_params["name"]
    last = request.headers.get("Last-Event-ID", "0")
    first = int(last) if last.isdigit() else 0
    if first >= len(EVENTS):
        return Response(status_code=204)

    async def few():
        for number in range(first, min(first + EVENTS_OF_A_CONNECTION, len(EVENTS))):
            kind, repository = EVENTS[number]
            data = {"id": str(number + 1), "type": kind, "repo": {"name": f"{name}/{repository}"}}
            yield ServerSentEvent(json.dumps(data), id=str(number + 1), event=kind, retry=10)

    return EventSourceResponse(few())


async def ready(request):
    return Response(status_code=204)


app = Starlette(routes=[
    Route("/v1/chat/completions", chat, methods=["POST"]),
    Route("/users/{name}/events", events),
    Route("/ready", ready),
])
