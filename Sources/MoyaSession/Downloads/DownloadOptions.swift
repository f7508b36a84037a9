public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Steps on the way to a download's destination.
public struct DownloadOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Makes the directories that lead to the destination.
    public static let createIntermediateDirectories = DownloadOptions(rawValue: 1 << 0)
    /// Replaces a file or a link at the destination in one step.
    ///
    /// The old file stays as it was where the new one cannot take its place. A directory, a device, a pipe or a socket at
    /// the destination is an error.
    public static let removePreviousFile = DownloadOptions(rawValue: 1 << 1)
}

extension DownloadRequest {
    /// Makes a destination in a given directory, under the name that the response suggests (RFC 6266), or else the last
    /// part of its URL.
    ///
    /// Any name from the server stays in that directory: it is cut to its last part and cleared of characters that file
    /// systems do not take. Where there is no such directory the file stays where it was downloaded to.
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
