#if os(Linux)
import MoyaTransport

extension TransportFailure {
    /// The failure for a setting that this libcurl does not support.
    static func missing(_ setting: String, from library: CurlLibrary = .loaded) -> TransportFailure {
        TransportFailure(
            .unsupported,
            message: "\(setting) cannot be honoured: this libcurl (\(library.version)) was built without.")
    }

    /// The failure for a setting whose value cannot be used.
    static func invalid(
        _ setting: String, _ message: String, cause: RegularFile.Refusal? = nil
    ) -> TransportFailure {
        TransportFailure(.unsupported, message: "\(setting): \(message)", cause: cause)
    }

    /// `true` if the file of a setting may be readable later, as with a free descriptor.
    var mayPass: Bool { (cause as? RegularFile.Refusal)?.mayPass ?? false }
}
#endif
