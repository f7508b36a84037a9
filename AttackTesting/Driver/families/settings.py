"""Family 4: no setting traps."""

import re

from ..case import Case
from ..servers import answers, response

EXTREMES = ("nan", "inf", "-inf", "max", "min", "least", "0", "-1")

# Settings, and the outcome of each extreme value; a call that waits is cancelled after four seconds.
OK = re.escape("200 | 1 requests")
TIMED_OUT = r"error timeout total \| [01] requests"
OK_OR_TIMED_OUT = rf"({OK}|error timeout [a-z]+ \| [01] requests)"
UNBOUND = {value: OK_OR_TIMED_OUT if value == "least" else OK for value in EXTREMES}
BOUND = {value: OK if value in ("inf", "max") else TIMED_OUT for value in EXTREMES}
CANCELLED = r"error explicitlyCancelled \| "


def apart(outcome, other, values=("inf", "max")):
    """The outcome of every value, and another one of some."""
    return {value: other if value in values else outcome for value in EXTREMES}


def tries(count, outcome="503"):
    return rf"{outcome} \| {count} requests"


SETTINGS = {
    "Deadlines.connect": UNBOUND,
    "Deadlines.idle": UNBOUND,
    "Deadlines.attempt": BOUND,
    "Deadlines.total": BOUND,
    "Session.timeouts": UNBOUND,
    "Timeouts": UNBOUND,
    "URLRequest.timeoutInterval": UNBOUND,
    "URLSessionConfiguration": UNBOUND,
    "maximumConnectionsPerHost": {value: OK for value in EXTREMES},
    "maximumResponseBytes": apart(tries(1, "error responseTooLarge 0"), OK) | {"least": tries(1, "error responseTooLarge 1")},
    "Proxy.port": apart(tries(0, "error unsupported"), tries(0, "error connect"), ("least",)),
    # A budget of ten retries ends them.
    "RetryMiddleware.attempts": apart(tries(1), tries(11)),
    "RetryBackoff.base": apart(tries(3), CANCELLED + "1 requests"),
    "RetryBackoff.factor": {value: tries(3) for value in EXTREMES},
    # The least period, a millisecond, may pass between two attempts.
    "RetryBudget": apart(tries(1), tries(3)) | {"least": tries("[23]")},
    "RetryMiddleware.longestRetryAfter": apart(tries(1), CANCELLED + "1 requests"),
    "RetryPolicy": apart(tries(4, "error responseValidationFailed"), CANCELLED + "1 requests"),
    # A token that has expired is refreshed before the request.
    "OAuthTokens": apart(tries(1, "200") + ", Bearer b", tries(1, "200") + ", Bearer a", ("nan", "inf", "max")),
    "delayedStub": apart(tries(0, "200"), CANCELLED + "0 requests"),
    "WaitForConnectivity": apart(tries(0, "error OfflineError"), CANCELLED + "0 requests"),
    "parameters": {value: OK for value in EXTREMES},
    # JSON has no such numbers.
    "parameters.json": apart(OK, tries(0, "error Error"), ("nan", "inf", "-inf")),
    "multipart": apart(OK, tries(0, "error inputStreamReadFailed")),
}
FAILING = ("RetryMiddleware.attempts", "RetryBackoff.base", "RetryBackoff.factor", "RetryBudget",
           "RetryMiddleware.longestRetryAfter", "RetryPolicy")


def observed(scene):
    """The number of requests, and their tokens."""
    tokens = [token for request in scene.requests if (token := request.value("Authorization"))]
    return ", ".join([f"{len(scene.requests)} requests", *tokens])


def cases():
    for name, outcomes in SETTINGS.items():
        answer = response(status="503 No") if name in FAILING else response()
        if name == "RetryMiddleware.longestRetryAfter":
            answer = response(b"", "Retry-After: 9", status="503 No")
        for value in EXTREMES:
            yield Case(4, f"{name} = {value}",
                       {"verb": "set", "name": name, "value": value, "calls": [{"url": "http://127.0.0.1:$A/"}]},
                       re.compile(outcomes[value]), (answers(answer),), observed,
                       reaches=" 0 requests" not in outcomes[value] and "[01]" not in outcomes[value])
