"""Family 7: logs, errors and descriptions reveal no secrets, and other values stay readable."""

import re

from ..case import Case
from ..servers import answers, response

SECRET = "hunter2Zq9"
# Names of secrets, each in several places for names with values.
NAMES = (
    "password", "pwd", "pass", "pin", "cvv", "ssn", "code", "state", "sig", "key", "sid", "auth", "assertion", "ticket",
    "token", "access_token", "refreshToken", "id_token", "api_key", "apiKey", "client_secret", "clientSecret", "secret",
    "otp", "session", "sessionId", "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "AWSAccessKeyId",
    "X-Goog-Signature", "hmac", "code_verifier", "oauth_signature", "jwt", "private_key", "passphrase",
)
# Places of a name and its value in a request.
PLACES = ("query", "json", "form", "fragment", "text", "xml")
READABLE = ("keyboard", "monkey", "author", "keynote", "compass", "spinner", "design", "encode", "stateless",
            "passenger", "monkeys", "tokyo", "sidebar", "category")
FIELDS = ("Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "PRIVATE-TOKEN",
          "Ocp-Apim-Subscription-Key", "X-Goog-Api-Key", "X-Shopify-Access-Token", "X-Amz-Security-Token",
          "X-Vault-Token", "X-CSRF-Token", "X-Authentication", "X-Tenant-Key", "X-Team-Key")
# Response bodies that contain a secret.
BODIES = {
    "JSON": f'{{"pin":"{SECRET}"}}',
    "JSON behind a BOM": f'\ufeff{{"pin":"{SECRET}"}}',
    "JSON behind )]}'": f')]}}\'\n{{"pin":"{SECRET}"}}',
    "JSON behind while(1)": f'while(1);{{"pin":"{SECRET}"}}',
    "JSON in a callback": f'callback({{"pin":"{SECRET}"}})',
    "JSON in a string": '{"a":"{\\"pin\\":\\"' + SECRET + '\\"}"}',
    "JSON with an escaped name": f'{{"p\\u0069n":"{SECRET}"}}',
    "JSON with white space": f'{{ "pin" \n:\t"{SECRET}" }}',
    "JSON, name and value": f'{{"name":"pin","value":"{SECRET}"}}',
    "JSON, value and name": f'{{"value":"{SECRET}","name":"pin"}}',
    "JSON, key and value": f'[{{"key":"password","value":"{SECRET}"}}]',
    "JSON, an array": f'{{"tokens":["a","{SECRET}"]}}',
    "JSON, an object": f'{{"credentials":{{"a":{{"b":"{SECRET}"}}}}}}',
    "JSON, cut": f'{{"a":1,"pin":"{SECRET}',
    "JSON, several": f'{{"a":1}}\n{{"pin":"{SECRET}"}}\n',
    "JSON, a URL": f'{{"next":"https://a.test/?token={SECRET}"}}',
    "JSON, an escaped URL": f'{{"next":"https:\\/\\/a.test\\/?token={SECRET}"}}',
    "JSON, user information": f'{{"next":"https://u:{SECRET}@a.test/"}}',
    "JSON, user information with a number sign": f'{{"next":"https://u:a#{SECRET}@a.test/"}}',
    "JSON, user information with a slash": f'{{"next":"https://u:a/{SECRET}@a.test/"}}',
    "JSON, a header": f'{{"headers":"Authorization: Bearer {SECRET}"}}',
    "JSON behind a cut line": f'{{"a":"cu\n{{"pin":"{SECRET}"}}',
    "JSON with an inch": f'{{"title":"5" screen","pin":"{SECRET}"}}',
    "JSON in an error": f"unexpected '\"' in {{\"pin\":\"{SECRET}\"}}",
    "JSON in an attribute": f'<div data-page="{{&quot;pin&quot;:&quot;{SECRET}&quot;}}">',
    "a form": f"a=b&pin={SECRET}",
    "a form in capitals": f"a=b&PASSWORD={SECRET}",
    "a form with an escaped name": f"a=b&p%69n={SECRET}",
    "a form with brackets": f"user[password]={SECRET}",
    "XML": f"<a><pin>{SECRET}</pin></a>",
    "XML, an attribute": f'<a pin="{SECRET}"/>',
    "XML in XML": f"<a>&lt;pin&gt;{SECRET}&lt;/pin&gt;</a>",
    "HTML, a password": f'<p>24" wide</p><input type="password" value="{SECRET}">',
    "XML, a name space": f'<x:password x:type="a">{SECRET}</x:password>',
    "lines": f"a: b\npassword: {SECRET}\n",
    "properties": f"db.password={SECRET}\n",
}
# Response fields with a secret in a URL or in a named value.
RESPONSE_FIELDS = (
    f"Set-Cookie: sid={SECRET}; Path=/", f"Location: https://a.test/?code={SECRET}", f"Location: /cb#access_token={SECRET}",
    f"Link: <https://a.test/?token={SECRET}>; rel=next", f"Refresh: 0; url=https://a.test/?token={SECRET}",
    f"Content-Location: /a?sig={SECRET}", f"X-Auth-Token: {SECRET}",
    f"WWW-Authenticate: Bearer token=\"{SECRET}\"", f"X-Amz-Meta: https://u:{SECRET}@a.test/",
    f"X-Amz-Meta: https://u:a#{SECRET}@a.test/", f"Content-Location: https://u:a?{SECRET}@a.test/",
    f"Sec-WebSocket-Location: wss://a.test/?token={SECRET}",
)
VALUES = (
    "OAuthTokens", "InMemoryTokenStore", "Proxy", "Proxy.Credentials", "TransportConfiguration", "ClientIdentity.pem",
    "ClientIdentity.pkcs12", "TransportAuthentication", "HTTPHeader", "HTTPHeader.api-key", "HTTPHeaders", "HTTPField",
    "HTTPRequest", "TransportResponseHead", "TransportEvent", "TransportFailure", "TransportEnd", "RefreshGrant",
    "Endpoint", "RequestTask.parameters", "RequestTask.encodable", "RequestTask.multipart", "RequestTask.composite",
    "EndpointSampleResponse", "Response", "ProgressResponse", "MoyaError.statusCode", "MoyaError.stringMapping",
    "MoyaError.requestMapping", "MoyaError.underlying", "MoyaError.objectMapping", "SessionError.invalidURL",
    "SessionError.invalidURL.components", "SessionError.body", "SessionError.missingHost", "SessionError.multipart",
    "SessionError.move", "SessionError.task", "MultiTarget", "DataResponse", "MultipartFormData",
    "SessionError.invalidURL.sign", "ServerSentEvent", "StreamPart.head",
    "StreamPart.chunk", "ResponseStreamError", "UploadStreamError",
)


def harmless(text):
    """The text with a name that is no secret's in place of the secret's, and a path in place of user information."""
    text = re.sub(r"u:(a[#/?])?(?=" + SECRET + ")", "a.test/keyboard/", text).replace(SECRET + "@a.test/", SECRET)
    text = re.sub(r"^(Set-Cookie|X-Auth-Token|WWW-Authenticate):( Bearer)?", "X-Plain:", text)
    text = re.sub(r"Authorization: Bearer", "Keyboard:", text)
    return re.sub(r"p\\u0069n|p%69n|\b(access_token|tokens?|credentials|password|pin|sid|code|sig)\b", "keyboard", text,
                  flags=re.IGNORECASE)


def order(place, name):
    return {"verb": "mask", "place": place, "name": name, "calls": [{"url": "http://127.0.0.1:$A"}]}


def cases():
    for index, name in enumerate(NAMES):
        for place in ("query", PLACES[1:][index % 5]):
            if (name, place) == ("key", "xml"):
                # The format of a property list.
                continue
            yield Case(7, f"{name} in {place}", order(place, name), "hidden", (answers(response()),))
    for name in READABLE:
        for place in ("query", "json"):
            yield Case(7, f"{name} in {place}", order(place, name), "readable", (answers(response()),))
    for place in PLACES[2:]:
        yield Case(7, f"keyboard in {place}", order(place, "keyboard"), "readable", (answers(response()),))
    for name in FIELDS:
        yield Case(7, f"{name} in a request", order("header", name), "hidden", (answers(response()),))
    for name in ("X-Keyboard", "X-Author", "Accept", "X-Request-Id", "Idempotency-Key"):
        yield Case(7, f"{name} in a request", order("header", name), "readable", (answers(response()),))
    for name, body in BODIES.items():
        for status in ("200 OK", "500 No"):
            for title, text, outcome in ((name, body, "hidden"), (f"{name}, harmless", harmless(body), "readable")):
                yield Case(7, f"{title}, {status[:3]}", order("body", "a"), outcome,
                           (answers(response(text.encode(), "Content-Type: text/plain", status=status)),))
    for fields, outcome in ((RESPONSE_FIELDS, "hidden"), ({harmless(field) for field in RESPONSE_FIELDS}, "readable")):
        for field in sorted(fields):
            yield Case(7, field.replace(SECRET, "..."), order("field", "a"), outcome, (answers(response(b"ok", field)),))
    for name in VALUES:
        yield Case(7, f"a printed {name}", {"verb": "print", "name": name}, "hidden")
    # Masking any megabyte is fast.
    for name, body in {
        "a megabyte of JSON": '{"a":[' + '{"name":"n","pin":"' + SECRET + '"},' * 25_000 + "1]}",
        "a megabyte of names": '"password":' * 90_000, "a megabyte of quotes": '"' * 1_000_000,
        "a megabyte of backslashes": '"' + "\\" * 1_000_000, "a megabyte of brackets": "[{" * 500_000,
        "a megabyte of ampersands": "&" * 1_000_000, "a megabyte of tags": "<pin" * 250_000,
        "a megabyte of colons": "a:" * 500_000, "a megabyte of URLs": "https://u:p@" * 80_000,
        "a megabyte of escapes": "%70%69%6e=" * 100_000, "a megabyte of callbacks": "a(" * 500_000,
    }.items():
        yield Case(7, name, order("body", "a") | {"limits": {"processor": 1, "masking": 0.15}}, "hidden",
                   (answers(response(body.encode())),))
