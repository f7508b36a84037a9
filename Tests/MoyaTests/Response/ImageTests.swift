#if !canImport(UIKit) && !canImport(AppKit)
import Foundation
import Moya
import Testing

@Suite struct ImageTests {
    /// A header, its values, and the number of bytes needed for them.
    struct Sample: Sendable, CustomStringConvertible {
        var description: String
        var bytes: [UInt8]
        var format: Image.Format
        var width: Int
        var height: Int
        var needed: Int
    }

    private static func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func riff(_ chunk: [UInt8]) -> [UInt8] { ascii("RIFF") + [0, 0, 0, 0] + ascii("WEBP") + chunk }

    static let samples: [Sample] = [
        Sample(
            description: "PNG",
            bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + ascii("IHDR")
                + [0, 0, 1, 2, 0, 1, 0, 3, 8, 6, 0, 0, 0, 1, 2, 3, 4],
            format: .png, width: 258, height: 65_539, needed: 24),
        Sample(
            description: "GIF87a", bytes: ascii("GIF87a") + [0x02, 0x01, 0x03, 0x00, 0x80, 0, 0],
            format: .gif, width: 258, height: 3, needed: 10),
        Sample(
            description: "GIF89a", bytes: ascii("GIF89a") + [0x01, 0x00, 0xFF, 0xFF, 0x80, 0, 0],
            format: .gif, width: 1, height: 65_535, needed: 10),
        Sample(
            description: "JPEG, baseline, after JFIF",
            bytes: [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 17, 8, 0, 100, 0, 200, 3, 1, 0x22, 0],
            format: .jpeg, width: 200, height: 100, needed: 17),
        Sample(
            description: "JPEG, progressive, after tables and fill bytes",
            bytes: [0xFF, 0xD8, 0xFF, 0xC4, 0, 3, 0, 0xFF, 0xFF, 0xFF, 0xC2, 0, 17, 8, 1, 0, 2, 0, 3],
            format: .jpeg, width: 512, height: 256, needed: 18),
        Sample(
            description: "WebP, lossy",
            bytes: riff(ascii("VP8 ") + [0, 0, 0, 0, 0x30, 0x01, 0x00, 0x9D, 0x01, 0x2A, 0x40, 0x41, 0xF0, 0x80, 0]),
            format: .webP, width: 320, height: 240, needed: 30),
        Sample(
            description: "WebP, lossless",
            // 14 bits of width less one, 14 bits of height less one.
            bytes: riff(ascii("VP8L") + [0, 0, 0, 0, 0x2F, 0x3F, 0xC1, 0x3B, 0x00, 0]),
            format: .webP, width: 320, height: 240, needed: 25),
        Sample(
            description: "WebP, extended",
            bytes: riff(ascii("VP8X") + [10, 0, 0, 0, 0, 0, 0, 0, 0x3F, 0x01, 0x00, 0xEF, 0x00, 0x00, 0]),
            format: .webP, width: 320, height: 240, needed: 30),
    ]

    private func image(_ bytes: some Collection<UInt8>) -> Image? { Image(data: Data(bytes)) }

    @Test(arguments: samples) func readsTheFormatFromTheHeader(_ sample: Sample) {
        #expect(image(sample.bytes)?.format == sample.format)
    }

    @Test(arguments: samples) func readsTheSizeFromTheHeader(_ sample: Sample) {
        #expect(image(sample.bytes)?.size == CGSize(width: sample.width, height: sample.height))
    }

    @Test(arguments: samples) func imageKeepsItsData(_ sample: Sample) {
        #expect(image(sample.bytes)?.data == Data(sample.bytes))
    }

    @Test(arguments: samples) func headerTooShortForTheSizeIsNotAnImage(_ sample: Sample) {
        for length in 0..<sample.needed { #expect(image(sample.bytes.prefix(length)) == nil, "\(length) bytes") }
    }

    @Test(arguments: samples) func longerHeaderGivesTheSameResult(_ sample: Sample) {
        for length in sample.needed...sample.bytes.count {
            let size = CGSize(width: sample.width, height: sample.height)
            #expect(image(sample.bytes.prefix(length))?.size == size, "\(length) bytes")
        }
    }

    @Test(arguments: samples) func headerInTheMiddleOfOtherDataIsRead(_ sample: Sample) {
        let slice = Data([1, 2, 3] + sample.bytes).dropFirst(3)
        #expect(Image(data: slice)?.size == CGSize(width: sample.width, height: sample.height))
    }

    /// A start-of-frame segment of a JPEG image of 200 by 100 pixels.
    private static let frame: [UInt8] = [0xFF, 0xC0, 0, 17, 8, 0, 100, 0, 200]

    @Test(arguments: [[0xFF], [0xFF, 0xE0, 0, 2]] as [[UInt8]])
    func jpegWithAnEndlessHeaderIsNotAnImage(step: [UInt8]) {
        let header = [0xFF, 0xD8] + [[UInt8]](repeating: step, count: 70_000).joined()
        #expect(image(header + Self.frame) == nil)
    }

    @Test func jpegWithMegabytesOfMetadataIsAnImage() {
        let segment: [UInt8] = [0xFF, 0xE1, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 65_533)
        let header = [0xFF, 0xD8] + [[UInt8]](repeating: segment, count: 32).joined()
        #expect(image(header + Self.frame)?.size == CGSize(width: 200, height: 100))
    }

    @Test(arguments: samples) func anyBrokenByteIsParsedSafely(_ sample: Sample) {
        for index in sample.bytes.indices {
            for value in [UInt8](arrayLiteral: 0, 1, 0x7F, 0x80, 0xFF) {
                var bytes = sample.bytes
                bytes[index] = value
                if let size = image(bytes)?.size { #expect(size.width > 0 && size.height > 0) }
            }
        }
    }

    @Test func imageWithoutPixelsIsRefused() {
        #expect(image(Self.ascii("GIF89a") + [0, 0, 1, 0]) == nil)
        #expect(image(Self.ascii("GIF89a") + [1, 0, 0, 0]) == nil)
    }

    @Test func jpegWhoseSegmentHasNoLengthIsNotAnImage() {
        #expect(image([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0xFF, 0xC0, 0, 17, 8, 0, 1, 0, 1]) == nil)
    }

    @Test func unknownFormatIsNotAnImage() { #expect(image(Self.ascii("BM") + Array(repeating: 0, count: 64)) == nil) }

    @Test(arguments: samples) func responseMapsToAnImageOfTheSameSize(_ sample: Sample) throws {
        let found = try Response(statusCode: 200, data: Data(sample.bytes)).mapImage()
        #expect(found.size == CGSize(width: sample.width, height: sample.height))
    }

    @Test(arguments: [Data(), Data("text".utf8)]) func otherDataIsAnImageMappingError(_ data: Data) {
        let response = Response(statusCode: 200, data: data)
        guard case .imageMapping(let refused) = #expect(throws: MoyaError.self, performing: { try response.mapImage() })
        else {
            Issue.record("no imageMapping")
            return
        }
        #expect(refused === response)
    }
}
#endif
