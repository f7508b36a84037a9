// The handling of TLS connection ends for the callbacks of OpenSSL.
#ifndef CMOYACONNECTIONEND_H
#define CMOYACONNECTIONEND_H

#if defined(__linux__)

#include <openssl/ssl.h>

/// Makes the end of the context's connection be recorded.
void moya_watch_connection_end(SSL_CTX *tls_context);

#endif
#endif
