public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What is done on the way to a download's destination.
public struct DownloadOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Makes the directories that lead to the destination.
    public static let createIntermediateDirectories = DownloadOptions(rawValue: 1 << 0)
    /// Removes a file that stands at the destination.
    public static let removePreviousFile = DownloadOptions(rawValue: 1 << 1)
}

extension DownloadRequest {
    /// Makes a destination in a directory of the user's, under the name that the response suggests (RFC 6266), or else
    /// the last part of its URL.
    ///
    /// Whatever the server says, the file is in that directory: a name is cut to its last part and cleared of what file
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
