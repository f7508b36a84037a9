"""An OAuth 2 authorization server and its API, made with Authlib.

    POST /token                     grant_type=password, refresh_token (RFC 6749 sections 4.3 and 6), public clients
    POST /revoke                    revokes the refresh token in the form, and the tokens issued with it
    GET  /api/item/N                {"item": N} for a valid bearer token; otherwise 401 (RFC 6750)
    GET  /expired?token=TOKEN       makes the access token expire; 204
    GET  /statistics?user=NAME      {"refreshes": N}
    GET  /ready                     204

A refresh token is valid once: the response to a refresh contains a new one (RFC 9700 section 4.14.2).
Access tokens expire after a minute, those of the user ole after two seconds.
"""

import collections
import threading
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc6749.models import ClientMixin, TokenMixin
from authlib.oauth2.rfc6750 import BearerTokenValidator
from flask import Flask, jsonify, request

LIFETIME_SECONDS = 60

app = Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"password": LIFETIME_SECONDS, "refresh_token": LIFETIME_SECONDS}
lock = threading.Lock()
tokens_by_access = {}
tokens_by_refresh = {}
refreshes = collections.Counter()


class Client(ClientMixin):
    """Any public client: it has an identifier and no secret."""

    def __init__(self, client_id):
        self.client_id = client_id

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_redirect_uri(self, redirect_uri):
        return False

    def check_client_secret(self, client_secret):
        return False

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none"

    def check_response_type(self, response_type):
        return False

    def check_grant_type(self, grant_type):
        return grant_type in ("password", "refresh_token")


class Token(TokenMixin):
    def __init__(self, fields, client, user):
        self.access_token = fields["access_token"]
        self.refresh_token = fields["refresh_token"]
        self.scope = fields.get("scope", "")
        # The example waits until its token expires, which is earlier than the stated lifetime.
        self.expires_at = time.time() + (2 if user == "ole" else fields["expires_in"])
        self.client_id = client.client_id
        self.user = user
        self.revoked = False

    def check_client(self, client):
        return self.client_id == client.client_id

    def get_scope(self):
        return self.scope

    def get_expires_in(self):
        return LIFETIME_SECONDS

    def is_expired(self):
        return time.time() >= self.expires_at

    def is_revoked(self):
        return self.revoked

    def get_user(self):
        return self.user

    def get_client(self):
        return Client(self.client_id)


def save_token(fields, oauth_request):
    token = Token(fields, oauth_request.client, oauth_request.user)
    with lock:
        tokens_by_access[token.access_token] = token
        tokens_by_refresh[token.refresh_token] = token


class PasswordGrant(grants.ResourceOwnerPasswordCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def authenticate_user(self, username, password):
        return username if password == "secret" else None


class RefreshTokenGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        with lock:
            token = tokens_by_refresh.get(refresh_token)
            if token is None or token.revoked:
                return None
            return token

    def authenticate_user(self, refresh_token):
        return refresh_token.user

    def revoke_old_credential(self, refresh_token):
        with lock:
            refresh_token.revoked = True
            refreshes[refresh_token.user] += 1


class Validator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        with lock:
            return tokens_by_access.get(token_string)


server = AuthorizationServer(app, query_client=Client, save_token=save_token)
server.register_grant(PasswordGrant)
server.register_grant(RefreshTokenGrant)
protect = ResourceProtector()
protect.register_token_validator(Validator())


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/revoke")
def revoke():
    with lock:
        token = tokens_by_refresh[request.form["token"]]
        token.revoked = True
    return "", 204


@app.get("/api/item/<int:number>")
@protect()
def item(number):
    return jsonify(item=number, user=current_token.user)


@app.get("/expired")
def expired():
    with lock:
        tokens_by_access[request.args["token"]].expires_at = time.time()
    return "", 204


@app.get("/statistics")
def statistics():
    user = request.args["user"]
    with lock:
        return jsonify(refreshes=refreshes[user])


@app.get("/ready")
def ready():
    return "", 204
