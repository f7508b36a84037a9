// The handling of TLS connection ends for the callbacks of OpenSSL.
#ifndef CMOYACONNECTIONEND_H
#define CMOYACONNECTIONEND_H

#if defined(__linux__)

#include <openssl/ssl.h>

/// Gives the context's connection a record of its end.
void moya_watch_connection_end(SSL_CTX *tls_context);
/// Records a close notification of the server; called by the info callback of the context.
void moya_hear_connection_end(const SSL *ssl, int where, int value);

#endif
#endif
