public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Steps before a download is moved to its destination.
public struct DownloadOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Creates the parent directories of the destination.
    public static let createIntermediateDirectories = DownloadOptions(rawValue: 1 << 0)
    /// Replaces a file or a link at the destination atomically.
    ///
    /// The old file is unchanged if the replacement fails. A directory, a device, a pipe or a socket at the destination
    /// is an error.
    public static let removePreviousFile = DownloadOptions(rawValue: 1 << 1)
}

extension DownloadRequest {
    /// Makes a destination in a directory, with the name that the response suggests (RFC 6266), otherwise the last
    /// component of its URL.
    ///
    /// Any name from the server stays in that directory: only its last component is used, without characters that file
    /// systems do not accept. If the directory does not exist, the file stays at its temporary path.
    public class func suggestedDownloadDestination(
        for directory: FileManager.SearchPathDirectory = .documentDirectory,
        in domain: FileManager.SearchPathDomainMask = .userDomainMask,
        options: Options = []
    ) -> Destination {
        { temporaryURL, response in
            guard let directory = FileManager.default.urls(for: directory, in: domain).first else {
                return (temporaryURL, options)
            }
            let name = SuggestedFileName.name(
                contentDisposition: response.value(forHTTPHeaderField: "Content-Disposition"),
                url: response.url ?? temporaryURL, mimeType: response.mimeType)
            return (directory.appendingPathComponent(name), options)
        }
    }
}
