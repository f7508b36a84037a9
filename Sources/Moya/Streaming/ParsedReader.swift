import Foundation

/// Reads the elements that a parser finds in a response's chunks.
final class ParsedReader<Parser: StreamParser>: StreamReader {
    private let chunks: ChunkReader
    private let makeParser: @Sendable (Response) -> Parser
    private var parser: Parser?
    private var isFinished = false

    init(_ chunks: ChunkReader, _ makeParser: @escaping @Sendable (Response) -> Parser) {
        self.chunks = chunks
        self.makeParser = makeParser
    }

    /// The head of the response, once it has arrived.
    var head: Response? { chunks.head }

    func next(isolation: isolated (any Actor)?) async throws(MoyaError) -> Parser.Element? {
        while true {
            // Before the elements of a chunk that has arrived.
            if !isFinished, _Concurrency.Task.isCancelled {
                parser = nil
                isFinished = true
                chunks.end()
                throw .cancelled
            }
            do throws(ResponseStreamError) {
                if let element = try parser?.next() { return element }
            } catch {
                if !error.isOfOneElement {
                    parser = nil
                    isFinished = true
                    chunks.end()
                }
                throw .underlying(error, head)
            }
            guard !isFinished else { return nil }
            let chunk: Data?
            do throws(MoyaError) {
                chunk = try await chunks.next(isolation: isolation)
            } catch {
                // An element cut by the error is dropped.
                parser = nil
                isFinished = true
                throw error
            }
            if let chunk {
                if parser == nil, let head { parser = makeParser(head) }
                parser?.append(chunk)
            } else {
                parser?.finish()
                isFinished = true
            }
        }
    }
}

/// Decodes the elements of another reader.
final class DecodingReader<Base: StreamReader, Element: Sendable>: StreamReader {
    /// `nil` after the end of the stream.
    private var base: Base?
    private let decode: @Sendable (Base.Element, Base) throws(MoyaError) -> Element?

    /// - Parameter decode: Returns the value of an element; `nil` for the element that ends the stream.
    init(_ base: Base, decode: @escaping @Sendable (Base.Element, Base) throws(MoyaError) -> Element?) {
        self.base = base
        self.decode = decode
    }

    func next(isolation: isolated (any Actor)?) async throws(MoyaError) -> Element? {
        guard let base, let element = try await base.next(isolation: isolation) else { return nil }
        if let value = try decode(element, base) { return value }
        self.base = nil
        return nil
    }
}
