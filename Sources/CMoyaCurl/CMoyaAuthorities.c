#if defined(__linux__)

#include "CMoyaAuthorities.h"
#include "CMoyaCertificates.h"

#include <openssl/crypto.h>
#include <openssl/pem.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static X509_LOOKUP_METHOD *directory_method;
static int number_index = -1;
/// The number of the last store: an address may be used again, while a TLS session still names the store before.
static atomic_uintptr_t last_number;

/// The certificate in the file that is the index-th with the hash; NULL if there is none, or it is malformed.
static X509 *read_file(const char *directory, unsigned long hash, int index) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%08lx.%d", directory, hash, index);
    // "e": close-on-exec.
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "re") : NULL;
    if (!file) return NULL;
    X509 *certificate = PEM_read_X509_AUX(file, NULL, moya_no_password, NULL);
    fclose(file);
    return certificate;
}

/// Moves the certificates of a subject from the directory to the store, and returns one of them.
static int find_in_directory(
    X509_LOOKUP *lookup, X509_LOOKUP_TYPE type, const X509_NAME *subject, X509_OBJECT *found) {
    X509_STORE *store = X509_LOOKUP_get_store(lookup);
    if (type != X509_LU_X509) return 0;
    X509 *certificate;
    unsigned long hash = X509_NAME_hash(subject);
    for (int index = 0; (certificate = read_file(X509_LOOKUP_get_method_data(lookup), hash, index)); index++) {
        X509_STORE_add_cert(store, certificate);
        X509_free(certificate);
    }
    X509_STORE_lock(store);
    X509_OBJECT *stored = X509_OBJECT_retrieve_by_subject(X509_STORE_get0_objects(store), type, subject);
    certificate = stored ? X509_OBJECT_get0_X509(stored) : NULL;
    int is_found = certificate && X509_OBJECT_set1_X509(found, certificate);
    // The caller retains it, too; the store has it in any case.
    if (is_found) X509_free(certificate);
    X509_STORE_unlock(store);
    return is_found;
}

static void forget_directory(X509_LOOKUP *lookup) { OPENSSL_free(X509_LOOKUP_get_method_data(lookup)); }

static void prepare(void) {
    number_index = X509_STORE_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    directory_method = X509_LOOKUP_meth_new("directory of authorities");
    if (!directory_method) return;
    X509_LOOKUP_meth_set_get_by_subject(directory_method, find_in_directory);
    X509_LOOKUP_meth_set_free(directory_method, forget_directory);
}

static bool look_up_in(X509_STORE *store, const char *directory) {
    X509_LOOKUP *lookup = directory_method ? X509_STORE_add_lookup(store, directory_method) : NULL;
    char *name = lookup ? OPENSSL_strdup(directory) : NULL;
    return name && X509_LOOKUP_set_method_data(lookup, name);
}

X509_STORE *moya_authorities_make(const char *directory) {
    pthread_once(&once, prepare);
    X509_STORE *store = X509_STORE_new();
    // libcurl's flags: an intermediate certificate in the store is an anchor, too.
    if (store && X509_STORE_set_ex_data(store, number_index, (void *)(atomic_fetch_add(&last_number, 1) + 1)) &&
        X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN) &&
        (!directory || look_up_in(store, directory)))
        return store;
    X509_STORE_free(store);
    return NULL;
}

static bool add(X509 *certificate, void *store) { return X509_STORE_add_cert(store, certificate) == 1; }

int moya_authorities_add(X509_STORE *store, const unsigned char *bytes, size_t length) {
    return moya_read_certificates(bytes, length, add, store);
}

uintptr_t moya_authorities_number(const X509_STORE *store) {
    return (uintptr_t)X509_STORE_get_ex_data(store, number_index);
}

void moya_authorities_retain(X509_STORE *store) { X509_STORE_up_ref(store); }

void moya_authorities_release(X509_STORE *store) { X509_STORE_free(store); }

#endif
