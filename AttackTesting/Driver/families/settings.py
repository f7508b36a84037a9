"""Family 4: no setting traps."""

import re

from ..case import Case
from ..servers import answers, response

EXTREMES = ("nan", "inf", "-inf", "max", "min", "least", "0", "-1")
UNBOUND = ("nan", "inf", "-inf", "max", "min", "0", "-1")

# Settings, the server's response, and the outcome of each extreme value if it is known; a call that waits is cancelled
# after four seconds.
TIMEOUT = "error (timeout|URLError -1001).*"
ANY_END = re.compile(r"([0-9]{3}|error .+)")
SETTINGS = {
    "Deadlines.connect": {value: "200" for value in EXTREMES if value != "least"},
    "Deadlines.idle": {value: "200" for value in EXTREMES if value != "least"},
    "Deadlines.attempt": {"inf": "200", "max": "200", "-inf": TIMEOUT, "min": TIMEOUT, "0": TIMEOUT, "-1": TIMEOUT,
                          "nan": TIMEOUT, "least": TIMEOUT},
    "Deadlines.total": {"inf": "200", "max": "200", "-inf": TIMEOUT, "min": TIMEOUT, "0": TIMEOUT, "-1": TIMEOUT,
                        "nan": TIMEOUT, "least": TIMEOUT},
    "Session.timeouts": {value: "200" for value in UNBOUND},
    "Timeouts": {value: "200" for value in UNBOUND},
    "URLRequest.timeoutInterval": {value: "200" for value in UNBOUND},
    "URLSessionConfiguration": {value: "200" for value in UNBOUND},
    "maximumConnectionsPerHost": {value: "200" for value in EXTREMES},
    "maximumResponseBytes": {value: "200" if value in ("inf", "max") else "error responseTooLarge [01]" for value in EXTREMES},
    "Proxy.port": {value: "error [a-zA-Z]+" for value in EXTREMES},
    "RetryMiddleware.attempts": {value: "503" for value in ("min", "0", "-1", "-inf", "nan")},
    "RetryBackoff.base": {},
    "RetryBackoff.factor": {value: "503" for value in EXTREMES},
    "RetryBudget": {},
    "RetryMiddleware.longestRetryAfter": {value: "error explicitlyCancelled" if value in ("inf", "max") else "503"
                                          for value in EXTREMES},
    "RetryPolicy": {},
    "OAuthTokens": {},
    "delayedStub": {value: "200" for value in ("-inf", "min", "least", "0", "-1")},
    "WaitForConnectivity": {},
    "parameters": {},
    "parameters.json": {},
    "multipart": {},
}
FAILING = ("RetryMiddleware.attempts", "RetryBackoff.base", "RetryBackoff.factor", "RetryBudget",
           "RetryMiddleware.longestRetryAfter", "RetryPolicy")


def cases():
    for name, outcomes in SETTINGS.items():
        answer = response(status="503 No") if name in FAILING else response()
        if name == "RetryMiddleware.longestRetryAfter":
            answer = response(b"", "Retry-After: 9", status="503 No")
        for value in EXTREMES:
            expected = re.compile(outcomes[value]) if value in outcomes else ANY_END
            yield Case(4, f"{name} = {value}",
                       {"verb": "set", "name": name, "value": value, "calls": [{"url": "http://127.0.0.1:$A/"}]},
                       expected, (answers(answer),))
