public import Foundation
import MoyaTransport

/// Makes a value of each chunk of a body that is passed on as it arrives.
@preconcurrency
public protocol DataStreamSerializer<SerializedObject>: Sendable {
    /// The value of a chunk.
    associatedtype SerializedObject: Sendable

    /// Makes the value of a chunk; what it throws is passed to the closure as the chunk's error.
    func serialize(_ data: Data) throws -> SerializedObject
}

/// Returns each chunk unchanged.
public struct PassthroughStreamSerializer: DataStreamSerializer {
    /// Makes a serializer.
    public init() {}

    /// Returns the chunk.
    public func serialize(_ data: Data) -> Data { data }
}

/// Decodes each chunk as UTF-8; invalid bytes become U+FFFD, as does a character that two chunks share.
public struct StringStreamSerializer: DataStreamSerializer {
    /// Makes a serializer.
    public init() {}

    /// Decodes the chunk.
    public func serialize(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }
}

/// Decodes each chunk as a whole value, for servers that send one value a chunk.
public struct DecodableStreamSerializer<T: Decodable & Sendable>: DataStreamSerializer {
    /// Decodes the chunks.
    public let decoder: any DataDecoder
    /// Changes each chunk before it is decoded.
    public let dataPreprocessor: any DataPreprocessor

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - decoder: Decodes the chunks.
    ///   - dataPreprocessor: Changes each chunk before it is decoded.
    public init(
        decoder: any DataDecoder = JSONDecoder.moyaDefault,
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor()
    ) {
        self.decoder = decoder
        self.dataPreprocessor = dataPreprocessor
    }

    /// Decodes the chunk.
    public func serialize(_ data: Data) throws -> T {
        let data = try dataPreprocessor.preprocess(data)
        do {
            return try BoundedDepth.decode(T.self, from: data, with: decoder)
        } catch {
            throw SessionError.responseSerializationFailed(reason: .decodingFailed(error: error))
        }
    }
}

extension DataStreamSerializer where Self == PassthroughStreamSerializer {
    /// Returns each chunk unchanged.
    public static var passthrough: PassthroughStreamSerializer { PassthroughStreamSerializer() }
}

extension DataStreamSerializer where Self == StringStreamSerializer {
    /// Decodes each chunk as UTF-8.
    public static var string: StringStreamSerializer { StringStreamSerializer() }
}

extension DataStreamSerializer {
    /// Decodes each chunk as a whole value.
    public static func decodable<T: Decodable & Sendable>(
        of type: T.Type, decoder: any DataDecoder = JSONDecoder.moyaDefault,
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor()
    ) -> Self where Self == DecodableStreamSerializer<T> {
        DecodableStreamSerializer(decoder: decoder, dataPreprocessor: dataPreprocessor)
    }
}

/// Makes values of chunks, one after the other.
struct ChunkSerializer<Success: Sendable, Failure: Error>: Sendable {
    /// Makes the value of a chunk; `nil` if the chunk completes none.
    let value: @Sendable (ChunkDelivery.Chunk) -> Result<Success, Failure>?
    /// The value of the remaining bytes of a response after its last chunk.
    var rest: @Sendable (_ response: Int) -> Result<Success, Failure>? = { _ in nil }
}

extension ChunkSerializer where Failure == SessionError {
    init<Serializer: DataStreamSerializer>(_ serializer: Serializer) where Serializer.SerializedObject == Success {
        self.init { chunk in serialize { try serializer.serialize(chunk.data) }.result }
    }
}

extension ChunkSerializer where Success == Data, Failure == Never {
    static var data: ChunkSerializer { ChunkSerializer { .success($0.data) } }
}

extension ChunkSerializer where Success == String, Failure == Never {
    /// Decodes UTF-8; a character that two chunks share comes whole, with the second one.
    static func text() -> ChunkSerializer {
        let cut = Lock((bytes: Data(), response: 0))
        return ChunkSerializer { chunk in
            var data = cut.withLock { cut in cut.response == chunk.response ? cut.bytes : Data() }
            data += chunk.data
            let end = data.count - cutCharacterLength(data)
            let bytes = Data(data.suffix(data.count - end))
            cut.withLock { $0 = (bytes, chunk.response) }
            return end == 0 ? nil : .success(String(decoding: data.prefix(end), as: UTF8.self))
        } rest: { response in
            let bytes = cut.withLock { cut in cut.response == response ? cut.bytes : Data() }
            return bytes.isEmpty ? nil : .success(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The number of bytes at the end that begin a character and do not complete it (RFC 3629 section 3).
    private static func cutCharacterLength(_ data: Data) -> Int {
        for (offset, byte) in data.suffix(3).reversed().enumerated() where byte & 0b1100_0000 != 0b1000_0000 {
            let length = byte >= 0b1111_0000 ? 4 : byte >= 0b1110_0000 ? 3 : byte >= 0b1100_0000 ? 2 : 1
            return length > offset + 1 ? offset + 1 : 0
        }
        return 0
    }
}
