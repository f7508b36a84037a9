#if defined(__linux__)

#include "CMoyaTrust.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <pthread.h>

struct moya_presented {
    X509_STORE_CTX *context;
    STACK_OF(X509) * chain;
    int validation_error;
};

static moya_handshake_begin handshake_begin;
static moya_handshake_evaluate handshake_evaluate;
static moya_handshake_release handshake_release;
static int handshake_index = -1;

static void release_handshake(void *parent, void *value, CRYPTO_EX_DATA *data, int index, long argl, void *argp) {
    if (value) handshake_release(value);
}

void moya_trust_install(
    moya_handshake_begin begin, moya_handshake_evaluate evaluate, moya_handshake_release release) {
    handshake_begin = begin;
    handshake_evaluate = evaluate;
    handshake_release = release;
    handshake_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, release_handshake);
}

/// Validates the server's certificate against a store and returns the chain that was built, or NULL.
static STACK_OF(X509) * build_chain(X509_STORE_CTX *handshake, X509_STORE *store, int partial, int *error) {
    STACK_OF(X509) *chain = NULL;
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    *error = X509_V_ERR_OUT_OF_MEM;
    if (!context) return NULL;
    if (X509_STORE_CTX_init(
            context, store, X509_STORE_CTX_get0_cert(handshake), X509_STORE_CTX_get0_untrusted(handshake))) {
        X509_STORE_CTX_set_default(context, "ssl_server");
        if (partial) X509_STORE_CTX_set_flags(context, X509_V_FLAG_PARTIAL_CHAIN);
        if (X509_verify_cert(context) == 1) {
            *error = X509_V_OK;
            chain = X509_STORE_CTX_get1_chain(context);
        } else {
            *error = X509_STORE_CTX_get_error(context);
            if (*error == X509_V_OK) *error = X509_V_ERR_UNSPECIFIED;
        }
    }
    X509_STORE_CTX_free(context);
    return chain;
}

/// The certificates shown, from the server's own on, of which each has signed the one before: a certificate that was
/// merely sent along proves nothing and must match no pin.
static STACK_OF(X509) * linked_chain(X509_STORE_CTX *handshake) {
    STACK_OF(X509) *shown = X509_STORE_CTX_get0_untrusted(handshake);
    STACK_OF(X509) *chain = sk_X509_new_null();
    X509 *last = X509_STORE_CTX_get0_cert(handshake);
    if (!chain) return NULL;
    while (last && sk_X509_num(chain) < 16) {
        X509 *issuer = NULL;
        X509_up_ref(last);
        sk_X509_push(chain, last);
        for (int index = 0; index < sk_X509_num(shown) && !issuer; index++) {
            X509 *candidate = sk_X509_value(shown, index);
            EVP_PKEY *key = X509_get0_pubkey(candidate);
            if (X509_cmp(candidate, last) != 0 && key && X509_check_issued(candidate, last) == X509_V_OK &&
                X509_verify(last, key) == 1)
                issuer = candidate;
        }
        last = issuer;
    }
    return chain;
}

static int verify(X509_STORE_CTX *context, void *handshake) {
    moya_presented presented = {context, NULL, X509_V_OK};
    presented.chain = build_chain(context, X509_STORE_CTX_get0_store(context), 0, &presented.validation_error);
    if (!presented.chain) presented.chain = linked_chain(context);
    int accepted = presented.chain && handshake_evaluate(handshake, &presented);
    sk_X509_pop_free(presented.chain, X509_free);
    X509_STORE_CTX_set_error(context, accepted ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION);
    return accepted;
}

static CURLcode connection_begins(CURL *easy, void *tls_context, void *transfer) {
    void *handshake = handshake_begin(transfer);
    if (!SSL_CTX_set_ex_data(tls_context, handshake_index, handshake)) {
        handshake_release(handshake);
        return CURLE_OUT_OF_MEMORY;
    }
    SSL_CTX_set_cert_verify_callback(tls_context, verify, handshake);
    return CURLE_OK;
}

CURLcode moya_easy_set_trust(CURL *easy, void *transfer) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, connection_begins);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, transfer);
    // The policy decides about the name; libcurl would ask again, and know nothing of what the policy allows.
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
    const moya_presented *presented, const unsigned char *const *anchors, const size_t *lengths, size_t anchor_count) {
    if (!anchors) return presented->validation_error;
    int error = X509_V_ERR_OUT_OF_MEM;
    X509_STORE *store = X509_STORE_new();
    if (!store) return error;
    for (size_t index = 0; index < anchor_count; index++) {
        const unsigned char *bytes = anchors[index];
        X509 *anchor = d2i_X509(NULL, &bytes, (long)lengths[index]);
        if (anchor) X509_STORE_add_cert(store, anchor);
        X509_free(anchor);
    }
    sk_X509_pop_free(build_chain(presented->context, store, 1, &error), X509_free);
    X509_STORE_free(store);
    return error;
}

const char *moya_verify_error_text(long error) { return X509_verify_cert_error_string(error); }

int moya_presented_matches_host(const moya_presented *presented, const char *host) {
    X509 *certificate = X509_STORE_CTX_get0_cert(presented->context);
    if (!certificate) return 0;
    ASN1_OCTET_STRING *address = a2i_IPADDRESS(host);
    if (address) {
        ASN1_OCTET_STRING_free(address);
        return X509_check_ip_asc(certificate, host, 0) == 1;
    }
    return X509_check_host(certificate, host, 0, 0, NULL) == 1;
}

#endif
