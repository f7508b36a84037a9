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

/// An image as it came, on platforms that have no image type: the data, and what its header says of it.
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

    /// The image, coded.
    public let data: Data
    /// The encoding.
    public let format: Format
    /// Its size in pixels.
    public let size: CGSize

    /// Reads the header; `nil` when the format is unknown, or no size is in it.
    ///
    /// The pixels are not decoded.
    public init?(data: Data) {
        guard let header = ImageHeader(data) else { return nil }
        self.data = data
        format = header.format
        size = header.size
    }
}
#endif

// Here, because the initializer is visible in no file that does not import the platform's framework.
extension Response {
    /// The body as an image.
    ///
    /// - Throws: ``MoyaError/imageMapping(_:)``.
    public func mapImage() throws(MoyaError) -> Image {
        guard let image = Image(data: data) else { throw .imageMapping(self) }
        return image
    }
}
