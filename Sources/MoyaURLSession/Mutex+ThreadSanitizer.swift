#if THREAD_SANITIZER
import MoyaTransport

typealias Mutex = SanitizedMutex
#endif
