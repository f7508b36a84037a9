import MoyaTransport

#if os(Linux)
import MoyaCurl
#else
import MoyaURLSession
#endif

/// The transport of a session that is not given one.
enum DefaultTransport {
    static func make(_ configuration: TransportConfiguration) -> any Transport {
        #if os(Linux)
        CurlTransport(configuration: configuration)
        #else
        URLSessionTransport(configuration: configuration)
        #endif
    }
}
