import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

/// The response passed to a download's destination.
///
/// Foundation on Linux suggests only the name in `Content-Disposition`, as the server spells it.
final class DownloadURLResponse: HTTPURLResponse, @unchecked Sendable {
    override var suggestedFilename: String? {
        guard let url else { return SuggestedFileName.unknown }
        return SuggestedFileName.name(
            contentDisposition: value(forHTTPHeaderField: "Content-Disposition"), url: url, mimeType: mimeType)
    }
}
#else
typealias DownloadURLResponse = HTTPURLResponse
#endif
