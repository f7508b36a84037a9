#if defined(__linux__)

#include "CMoyaTrust.h"
#include "CMoyaAuthorities.h"
#include "CMoyaConnectionEnd.h"
#include "CMoyaPresented.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The data of a TLS context, and so of one connection.
struct connection {
    void *handshake;
    /// `true` if the policy has to evaluate again when the stapled response arrives.
    bool awaits_staple;
};

static moya_handshake_begin handshake_begin;
static moya_handshake_evaluate handshake_evaluate;
static moya_handshake_release handshake_release;
static moya_handshake_key_log handshake_key_log;
static moya_handshake_authorities handshake_authorities;
static int connection_index = -1;

static void release_connection(void *parent, void *value, CRYPTO_EX_DATA *data, int index, long argl, void *argp) {
    struct connection *connection = value;
    if (!connection) return;
    handshake_release(connection->handshake);
    free(connection);
}

void moya_trust_install(
    moya_handshake_begin begin, moya_handshake_evaluate evaluate, moya_handshake_release release,
    moya_handshake_key_log key_log, moya_handshake_authorities authorities) {
    handshake_key_log = key_log;
    handshake_authorities = authorities;
    handshake_begin = begin;
    handshake_evaluate = evaluate;
    handshake_release = release;
    connection_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, release_connection);
}

/// Validates the server's certificate against a store and returns the chain that was built, or NULL.
static STACK_OF(X509) *
    build_chain(const moya_presented *presented, X509_STORE *store, int partial, int *error) {
    STACK_OF(X509) *chain = NULL;
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    *error = X509_V_ERR_OUT_OF_MEM;
    if (!context) return NULL;
    if (X509_STORE_CTX_init(context, store, presented->certificate, presented->shown)) {
        X509_STORE_CTX_set_default(context, "ssl_server");
        // The connection's own context gets it from OpenSSL; a context made here would accept keys and signatures of
        // any strength.
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), presented->security_level);
        if (partial) X509_STORE_CTX_set_flags(context, X509_V_FLAG_PARTIAL_CHAIN);
        if (X509_verify_cert(context) == 1) {
            chain = X509_STORE_CTX_get1_chain(context);
            if (chain) *error = X509_V_OK;
        } else {
            *error = X509_STORE_CTX_get_error(context);
            if (*error == X509_V_OK) *error = X509_V_ERR_UNSPECIFIED;
        }
    }
    X509_STORE_CTX_free(context);
    return chain;
}

/// `true` if the signature of a certificate with this key is sufficient at a security level.
static bool is_strong(X509 *certificate, EVP_PKEY *issuer_key, int security_level) {
    static const int bits_of_levels[] = {INT_MIN, 80, 112, 128, 192, 256};
    int least = bits_of_levels[security_level < 0 ? 0 : security_level > 5 ? 5 : security_level];
    int bits = -1;
    X509_get_signature_info(certificate, NULL, NULL, &bits, NULL);
    return bits >= least && EVP_PKEY_security_bits(issuer_key) >= least;
}

static bool append(STACK_OF(X509) * certificates, X509 *certificate) {
    if (!certificate || !X509_up_ref(certificate)) return false;
    if (sk_X509_push(certificates, certificate) > 0) return true;
    X509_free(certificate);
    return false;
}

/// `true` if a certificate is an authority, which may be this far above the server's own (RFC 5280 section 4.2.1.9).
static bool may_issue(X509 *candidate, STACK_OF(X509) * chain) {
    // 3: a root of version 1, which has no extensions.
    int kind = X509_check_ca(candidate);
    if (kind != 1 && kind != 3) return false;
    long deepest = X509_get_pathlen(candidate), depth = 0;
    for (int index = 1; index < sk_X509_num(chain); index++)
        if (!(X509_get_extension_flags(sk_X509_value(chain, index)) & EXFLAG_SI)) depth++;
    return deepest < 0 || depth <= deepest;
}

/// Extends a chain by those candidates of which each is an authority, and has signed the previous certificate.
static void link_issuers(STACK_OF(X509) * chain, STACK_OF(X509) * candidates, int security_level) {
    X509 *issuer = sk_X509_value(chain, sk_X509_num(chain) - 1);
    while (issuer && sk_X509_num(chain) < 16) {
        X509 *last = issuer;
        issuer = NULL;
        for (int index = 0; index < sk_X509_num(candidates) && !issuer; index++) {
            X509 *candidate = sk_X509_value(candidates, index);
            EVP_PKEY *key = X509_get0_pubkey(candidate);
            if (X509_cmp(candidate, last) != 0 && key && may_issue(candidate, chain) &&
                X509_check_issued(candidate, last) == X509_V_OK && is_strong(last, key, security_level) &&
                X509_verify(last, key) == 1)
                issuer = candidate;
        }
        if (!append(chain, issuer)) return;
    }
}

/// The presented certificates, from the server's own on, each of which has signed the previous one: an unrelated
/// certificate proves nothing and must match no pin.
static STACK_OF(X509) * linked_chain(const moya_presented *presented) {
    STACK_OF(X509) *chain = sk_X509_new_null();
    if (chain && append(chain, presented->certificate))
        link_issuers(chain, presented->shown, presented->security_level);
    return chain;
}

/// Keeps a chain to an anchor of the policy, because only it shows the authorities that may have revoked a certificate;
/// `false` if there is no memory.
///
/// A chain ends at the first anchor. If that is not a root, its own authorities may have revoked it, so those among the
/// candidates follow it.
static bool keep_anchored(moya_presented *presented, STACK_OF(X509) * chain, STACK_OF(X509) * candidates) {
    struct moya_anchored *longer =
        realloc(presented->anchored, sizeof *longer * (size_t)(presented->anchored_count + 1));
    if (!longer) return false;
    int anchor = sk_X509_num(chain) - 1;
    X509 *last = sk_X509_value(chain, anchor);
    if (X509_check_issued(last, last) != X509_V_OK) link_issuers(chain, candidates, presented->security_level);
    presented->anchored = longer;
    longer[presented->anchored_count++] = (struct moya_anchored){.certificates = chain, .anchor = anchor};
    return true;
}

static void release_chains(moya_presented *presented) {
    for (int index = 0; index < presented->anchored_count; index++)
        sk_X509_pop_free(presented->anchored[index].certificates, X509_free);
    free(presented->anchored);
    sk_X509_pop_free(presented->chain, X509_free);
}

/// Calls the policy with the server's certificates, and returns its result.
static int evaluate(struct connection *connection, moya_presented *presented) {
    // Errors during chain building must not be reported as errors of the connection.
    ERR_set_mark();
    presented->chain = build_chain(presented, presented->store, 0, &presented->validation_error);
    if (!presented->chain) presented->chain = linked_chain(presented);
    int accepted =
        presented->certificate && presented->chain && handshake_evaluate(connection->handshake, presented);
    release_chains(presented);
    ERR_pop_to_mark();
    connection->awaits_staple = accepted && presented->awaits_staple;
    return accepted;
}

static int verify(X509_STORE_CTX *context, void *value) {
    SSL *ssl = X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx());
    moya_presented presented = {
        .certificate = X509_STORE_CTX_get0_cert(context),
        .shown = X509_STORE_CTX_get0_untrusted(context),
        .store = X509_STORE_CTX_get0_store(context),
        .security_level = SSL_get_security_level(ssl),
        // TLS 1.3 has it beside the certificate, TLS 1.2 in a separate message after this one.
        .staple_is_to_come = SSL_version(ssl) < TLS1_3_VERSION,
    };
    if (!presented.staple_is_to_come)
        presented.staple_length = SSL_get_tlsext_status_ocsp_resp(ssl, &presented.staple);
    int accepted = evaluate(value, &presented);
    X509_STORE_CTX_set_error(context, accepted ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION);
    return accepted;
}

/// Runs after the server's last message before the client continues, with or without a stapled response.
static int server_has_spoken(SSL *ssl, void *value) {
    struct connection *connection = value;
    if (!connection->awaits_staple) return 1;
    STACK_OF(X509) *shown = SSL_get_peer_cert_chain(ssl);
    X509_STORE *store = NULL;
    SSL_get0_verify_cert_store(ssl, &store);
    moya_presented presented = {
        .certificate = sk_X509_value(shown, 0),
        .shown = shown,
        .store = store,
        .security_level = SSL_get_security_level(ssl),
    };
    presented.staple_length = SSL_get_tlsext_status_ocsp_resp(ssl, &presented.staple);
    return evaluate(connection, &presented);
}

static bool names_hosts(X509 *certificate) {
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    bool found = false;
    for (int index = 0; index < sk_GENERAL_NAME_num(names) && !found; index++) {
        int type = sk_GENERAL_NAME_value(names, index)->type;
        found = type == GEN_DNS || type == GEN_IPADD;
    }
    GENERAL_NAMES_free(names);
    return found;
}

static pthread_once_t key_log_once = PTHREAD_ONCE_INIT;
static int key_log_index = -1;

static void make_key_log_index(void) { key_log_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

/// Appends a line in one write, since several processes may share the file.
static void log_key(const SSL *ssl, const char *line) {
    intptr_t stored = (intptr_t)SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), key_log_index);
    size_t length = strlen(line);
    char *text = stored > 0 ? malloc(length + 1) : NULL;
    if (!text) return;
    memcpy(text, line, length);
    text[length] = '\n';
    // If the file cannot be written, the key is lost, but nothing else fails.
    ssize_t written = write((int)(stored - 1), text, length + 1);
    (void)written;
    OPENSSL_cleanse(text, length);
    free(text);
}

/// OpenSSL's own result. libcurl reports the first recorded error, and before a wrong signature there may be others. It
/// checks the names later, and uses the common name if there are no others.
static int verify_by_platform(X509_STORE_CTX *context, void *unused) {
    int accepted = X509_verify_cert(context);
    if (accepted == 1 && !names_hosts(X509_STORE_CTX_get0_cert(context))) {
        X509_STORE_CTX_set_error(context, X509_V_ERR_HOSTNAME_MISMATCH);
        accepted = 0;
    }
    if (accepted != 1) ERR_clear_error();
    return accepted;
}

/// Logs to the file of a context, or for a negative descriptor to none: libcurl would only read the environment.
static void set_key_log(SSL_CTX *tls_context, int descriptor) {
    pthread_once(&key_log_once, make_key_log_index);
    // Stored plus one, so that 0 means none.
    if (descriptor >= 0 && SSL_CTX_set_ex_data(tls_context, key_log_index, (void *)((intptr_t)descriptor + 1)))
        SSL_CTX_set_keylog_callback(tls_context, log_key);
    else
        SSL_CTX_set_keylog_callback(tls_context, NULL);
}

// libcurl 8.17 and newer look at the verdict only after the first handshake: without this, a refused server would receive
// the client's certificate, and a refusal at a renegotiation would be lost.
static void require_verification(SSL_CTX *tls_context) { SSL_CTX_set_verify(tls_context, SSL_VERIFY_PEER, NULL); }

/// Drops a session that was verified with another store, so that the handshake shows the server's certificate again.
///
/// OpenSSL would end a handshake that resumes it (SSL_R_ATTEMPT_TO_REUSE_SESSION_IN_DIFFERENT_CONTEXT).
static void drop_outdated_session(SSL *ssl) {
    X509_STORE *store = NULL;
    SSL_SESSION *session = SSL_get_session(ssl);
    if (!session || !SSL_get0_verify_cert_store(ssl, &store) || !store) return;
    uintptr_t number = moya_authorities_number(store);
    unsigned length = 0;
    const unsigned char *context = SSL_SESSION_get0_id_context(session, &length);
    if (length != sizeof number || memcmp(context, &number, length) != 0) SSL_set_session(ssl, NULL);
}

static void connection_proceeds(const SSL *ssl, int where, int value) {
    // Before the first message is written.
    if (where == SSL_CB_HANDSHAKE_START) drop_outdated_session((SSL *)ssl);
    moya_hear_connection_end(ssl, where, value);
}

/// Sets the store of a context, and marks its sessions with the store's number: a resumed session is not verified.
static bool set_authorities(SSL_CTX *tls_context, X509_STORE *store) {
    uintptr_t number = moya_authorities_number(store);
    // Not as the context's own store: some versions of libcurl change that one after this callback.
    return SSL_CTX_set1_verify_cert_store(tls_context, store) &&
           SSL_CTX_set1_chain_cert_store(tls_context, store) &&
           SSL_CTX_set_session_id_context(tls_context, (const unsigned char *)&number, sizeof number);
}

/// Sets what the connections of a session have in common, with a policy or without.
static CURLcode prepare(SSL_CTX *tls_context, void *transfer) {
    X509_STORE *store = handshake_authorities(transfer);
    if (!store) return CURLE_SSL_CACERT_BADFILE;
    bool is_set = set_authorities(tls_context, store);
    X509_STORE_free(store);
    if (!is_set) return CURLE_OUT_OF_MEMORY;
    moya_watch_connection_end(tls_context);
    SSL_CTX_set_info_callback(tls_context, connection_proceeds);
    set_key_log(tls_context, handshake_key_log(transfer));
    require_verification(tls_context);
    return CURLE_OK;
}

static CURLcode connection_begins_without_policy(CURL *easy, void *tls_context, void *transfer) {
    SSL_CTX_set_cert_verify_callback(tls_context, verify_by_platform, NULL);
    return prepare(tls_context, transfer);
}

static CURLcode connection_begins(CURL *easy, void *tls_context, void *transfer) {
    if (SSL_CTX_get_max_proto_version(tls_context) == TLS1_3_VERSION)
        return connection_begins_without_policy(easy, tls_context, transfer);
    CURLcode code = prepare(tls_context, transfer);
    if (code != CURLE_OK) return code;
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) return CURLE_OUT_OF_MEMORY;
    connection->handshake = handshake_begin(transfer);
    if (!SSL_CTX_set_ex_data(tls_context, connection_index, connection)) {
        release_connection(NULL, connection, NULL, 0, 0, NULL);
        return CURLE_OUT_OF_MEMORY;
    }
    SSL_CTX_set_cert_verify_callback(tls_context, verify, connection);
    SSL_CTX_set_tlsext_status_type(tls_context, TLSEXT_STATUSTYPE_ocsp);
    SSL_CTX_set_tlsext_status_cb(tls_context, server_has_spoken);
    SSL_CTX_set_tlsext_status_arg(tls_context, connection);
    return CURLE_OK;
}

CURLcode moya_easy_set_trust(CURL *easy, void *transfer, bool has_policy) {
    CURLcode code = curl_easy_setopt(
        easy, CURLOPT_SSL_CTX_FUNCTION, has_policy ? connection_begins : connection_begins_without_policy);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, transfer);
    if (!has_policy) return code;
    // A resumed TLS session presents no certificates to evaluate.
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    // The policy checks the name; libcurl would check it again, without knowing the policy.
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    return code;
}

int moya_presented_count(const moya_presented *presented) { return sk_X509_num(presented->chain); }

int moya_presented_der(const moya_presented *presented, int index, unsigned char **der) {
    X509 *certificate = sk_X509_value(presented->chain, index);
    *der = NULL;
    return certificate ? i2d_X509(certificate, der) : 0;
}

void moya_presented_free(unsigned char *der) { OPENSSL_free(der); }

int moya_presented_validate(
    moya_presented *presented, const unsigned char *const *anchors, const size_t *lengths, size_t anchor_count) {
    if (!anchors) return presented->validation_error;
    int error = X509_V_ERR_OUT_OF_MEM;
    X509_STORE *store = X509_STORE_new();
    STACK_OF(X509) *authorities = sk_X509_new_null();
    for (size_t index = 0; store && authorities && index < anchor_count; index++) {
        const unsigned char *bytes = anchors[index];
        X509 *anchor = d2i_X509(NULL, &bytes, (long)lengths[index]);
        if (!anchor || bytes != anchors[index] + lengths[index]) error = -1;
        else if (X509_STORE_add_cert(store, anchor)) append(authorities, anchor);
        X509_free(anchor);
    }
    STACK_OF(X509) *chain = store && authorities && error != -1 ? build_chain(presented, store, 1, &error) : NULL;
    for (int index = 0; chain && index < sk_X509_num(presented->shown); index++)
        append(authorities, sk_X509_value(presented->shown, index));
    if (chain && !keep_anchored(presented, chain, authorities)) {
        sk_X509_pop_free(chain, X509_free);
        error = X509_V_ERR_OUT_OF_MEM;
    }
    sk_X509_pop_free(authorities, X509_free);
    X509_STORE_free(store);
    return error;
}

const char *moya_verify_error_text(long error) { return X509_verify_cert_error_string(error); }

bool moya_presented_names_hosts(const moya_presented *presented) { return names_hosts(presented->certificate); }

bool moya_presented_matches_host(const moya_presented *presented, const char *host) {
    static const unsigned flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;
    // The host could not be read.
    if (!host[0]) return false;
    ASN1_OCTET_STRING *address = a2i_IPADDRESS(host);
    if (address) {
        ASN1_OCTET_STRING_free(address);
        return X509_check_ip_asc(presented->certificate, host, 0) == 1;
    }
    return X509_check_host(presented->certificate, host, 0, flags, NULL) == 1;
}

#endif
