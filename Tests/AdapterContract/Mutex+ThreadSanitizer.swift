#if THREAD_SANITIZER
import MoyaSession

typealias Mutex = SanitizedMutex
#endif
