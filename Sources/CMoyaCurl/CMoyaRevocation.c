#if defined(__linux__)

#include "CMoyaPresented.h"

#include <openssl/ocsp.h>
#include <openssl/x509v3.h>

/// The tolerated difference between the clocks of an OCSP responder and of this machine, in seconds.
static const long clock_difference = 300;
/// The longest accepted age of a response without a time of the next one, in seconds.
static const long longest_age = 7 * 24 * 3600;

/// `true` if the session's chain ends with an anchor, which is trusted directly and needs no proof.
static bool ends_with_anchor(const moya_presented *presented) {
    if (presented->validation_error == X509_V_OK) return true;
    X509 *last = sk_X509_value(presented->chain, sk_X509_num(presented->chain) - 1);
    return last && X509_check_issued(last, last) == X509_V_OK;
}

/// The policy's chains come first, then the session's.
static STACK_OF(X509) * chain_at(const moya_presented *presented, int index) {
    return index < presented->anchored_count ? presented->anchored[index].certificates : presented->chain;
}

int moya_presented_chain_count(const moya_presented *presented) { return presented->anchored_count + 1; }

int moya_presented_chain_length(const moya_presented *presented, int chain) {
    return sk_X509_num(chain_at(presented, chain));
}

int moya_presented_revocable_count(const moya_presented *presented, int chain) {
    if (chain < presented->anchored_count) {
        int anchor = presented->anchored[chain].anchor;
        return anchor > 0 ? anchor : 1;
    }
    // The server is trusted for another chain, but may have shown here that it was revoked.
    if (presented->anchored_count > 0 && presented->validation_error != X509_V_OK) return 0;
    int count = sk_X509_num(presented->chain);
    return count > 1 && ends_with_anchor(presented) ? count - 1 : count;
}

/// The status of a certificate in a revocation list.
static moya_revocation look_up(X509 *certificate, X509 *issuer, X509_CRL *list) {
    if (X509_NAME_cmp(X509_CRL_get_issuer(list), X509_get_subject_name(issuer)) != 0 ||
        !(X509_get_key_usage(issuer) & KU_CRL_SIGN) || X509_CRL_verify(list, X509_get0_pubkey(issuer)) != 1)
        return MOYA_REVOCATION_UNKNOWN;
    X509_REVOKED *entry = NULL;
    // 2: the entry withdraws an earlier revocation.
    if (X509_CRL_get0_by_cert(list, &entry, certificate) == 1) return MOYA_REVOCATION_REVOKED;
    const ASN1_TIME *next = X509_CRL_get0_nextUpdate(list);
    bool is_current = X509_cmp_current_time(X509_CRL_get0_lastUpdate(list)) < 0 && next && X509_cmp_current_time(next) > 0;
    // A list of only changes, or of only some certificates, declares it in a critical extension (RFC 5280 section 5.2).
    bool is_complete = X509_CRL_get_ext_by_critical(list, 1, -1) < 0;
    return is_current && is_complete ? MOYA_REVOCATION_GOOD : MOYA_REVOCATION_UNKNOWN;
}

int moya_presented_look_up(
    const moya_presented *presented, int chain, const unsigned char *const *lists, const size_t *lengths,
    size_t list_count, moya_revocation *found, int found_count) {
    STACK_OF(X509) *certificates = chain_at(presented, chain);
    for (size_t index = 0; index < list_count; index++) {
        const unsigned char *bytes = lists[index];
        X509_CRL *list = d2i_X509_CRL(NULL, &bytes, (long)lengths[index]);
        if (!list) return (int)index;
        for (int place = 0; place < found_count; place++) {
            X509 *certificate = sk_X509_value(certificates, place);
            X509 *issuer = sk_X509_value(certificates, place + 1);
            if (!certificate || !issuer) break;
            moya_revocation here = look_up(certificate, issuer, list);
            if (here > found[place]) found[place] = here;
        }
        X509_CRL_free(list);
    }
    return -1;
}

/// `true` if the authority that issued a certificate, or its delegate, has signed the response.
static bool is_signed(OCSP_BASICRESP *response, X509 *issuer, int security_level) {
    bool is_signed = false;
    STACK_OF(X509) *signers = sk_X509_new_null();
    X509_STORE *store = X509_STORE_new();
    if (signers && store && sk_X509_push(signers, issuer) && X509_STORE_add_cert(store, issuer)) {
        X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_get0_param(store), security_level);
        is_signed = OCSP_basic_verify(response, signers, store, 0) == 1;
    }
    X509_STORE_free(store);
    sk_X509_free(signers);
    return is_signed;
}

/// `true` if an answer concerns a certificate: names are hashed, each answer with its own algorithm.
static bool is_about(const OCSP_CERTID *subject, X509 *certificate, X509 *issuer) {
    ASN1_OBJECT *algorithm = NULL;
    OCSP_id_get0_info(NULL, &algorithm, NULL, NULL, (OCSP_CERTID *)subject);
    const EVP_MD *digest = algorithm ? EVP_get_digestbyobj(algorithm) : NULL;
    OCSP_CERTID *own = digest ? OCSP_cert_to_id(digest, certificate, issuer) : NULL;
    bool is_about = own && OCSP_id_cmp(own, subject) == 0;
    OCSP_CERTID_free(own);
    return is_about;
}

static moya_revocation
    answer_for(X509 *certificate, X509 *issuer, OCSP_BASICRESP *response, const char **why) {
    *why = "the stapled OCSP response is about another certificate";
    for (int index = 0; index < OCSP_resp_count(response); index++) {
        OCSP_SINGLERESP *answer = OCSP_resp_get0(response, index);
        if (!is_about(OCSP_SINGLERESP_get0_id(answer), certificate, issuer)) continue;
        ASN1_GENERALIZEDTIME *made = NULL, *next = NULL;
        int status = OCSP_single_get0_status(answer, NULL, NULL, &made, &next);
        if (status == V_OCSP_CERTSTATUS_REVOKED) return MOYA_REVOCATION_REVOKED;
        if (!OCSP_check_validity(made, next, clock_difference, next ? -1 : longest_age)) {
            *why = "the stapled OCSP response is out of date";
        } else if (status == V_OCSP_CERTSTATUS_GOOD) {
            return MOYA_REVOCATION_GOOD;
        } else {
            *why = "the OCSP responder does not know the certificate";
        }
    }
    return MOYA_REVOCATION_UNKNOWN;
}

moya_revocation moya_presented_staple(moya_presented *presented, int chain, const char **why) {
    *why = "the stapled OCSP response is not there yet";
    if (presented->staple_is_to_come) {
        presented->awaits_staple = true;
        return MOYA_REVOCATION_UNKNOWN;
    }
    *why = "the server stapled no OCSP response";
    if (!presented->staple || presented->staple_length <= 0) return MOYA_REVOCATION_UNKNOWN;
    X509 *certificate = sk_X509_value(chain_at(presented, chain), 0);
    X509 *issuer = sk_X509_value(chain_at(presented, chain), 1);
    *why = "the authority that issued the certificate is not known";
    if (!certificate || !issuer) return MOYA_REVOCATION_UNKNOWN;

    const unsigned char *bytes = presented->staple;
    OCSP_RESPONSE *response = d2i_OCSP_RESPONSE(NULL, &bytes, presented->staple_length);
    OCSP_BASICRESP *basic = NULL;
    moya_revocation found = MOYA_REVOCATION_UNKNOWN;
    if (!response) {
        *why = "the stapled OCSP response is malformed";
    } else if (
        OCSP_response_status(response) != OCSP_RESPONSE_STATUS_SUCCESSFUL ||
        !(basic = OCSP_response_get1_basic(response))) {
        *why = "the stapled OCSP response carries no answer";
    } else if (!is_signed(basic, issuer, presented->security_level)) {
        *why = "the stapled OCSP response is not signed by the certificate's authority";
    } else {
        found = answer_for(certificate, issuer, basic, why);
    }
    OCSP_BASICRESP_free(basic);
    OCSP_RESPONSE_free(response);
    return found;
}

bool moya_presented_awaits_staple(const moya_presented *presented) { return presented->awaits_staple; }

#endif
