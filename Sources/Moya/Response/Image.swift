#if canImport(UIKit)
public import UIKit

/// The platform's image.
public typealias ImageType = UIImage
/// The platform's image.
public typealias Image = ImageType
#elseif canImport(AppKit)
public import AppKit

/// The platform's image.
public typealias ImageType = NSImage
/// The platform's image.
public typealias Image = ImageType
#else
public import Foundation

/// The platform's image.
public typealias ImageType = Image

/// An undecoded image, on platforms without an image type: the data, and the properties in its header.
public struct Image: Sendable, Hashable {
    /// The encoding of the image.
    public enum Format: Sendable, Hashable {
        /// Portable Network Graphics.
        case png
        /// JPEG.
        case jpeg
        /// Graphics Interchange Format.
        case gif
        /// WebP.
        case webP
    }

    /// The encoded image.
    public let data: Data
    /// The encoding.
    public let format: Format
    /// The size in pixels.
    public let size: CGSize

    /// Reads the header; `nil` if the format is unknown, or the header has no size.
    ///
    /// It does not decode the pixels.
    public init?(data: Data) {
        guard let header = ImageHeader(data) else { return nil }
        self.data = data
        format = header.format
        size = header.size
    }
}
#endif

// In this file, because the initializer is only visible in files that import the platform's framework.
extension Response {
    /// The body as an image.
    ///
    /// - Throws: ``MoyaError/imageMapping(_:)``.
    public func mapImage() throws(MoyaError) -> Image {
        guard let image = Image(data: data) else { throw .imageMapping(self) }
        return image
    }
}
