import Foundation
import Testing

@testable import Moya

extension StreamParser {
    /// The elements of chunks, and the error that ended them; an error of one element counts as none.
    func elements(in chunks: [Data]) -> (elements: [Element], errors: [ResponseStreamError]) {
        var parser = self
        var (elements, errors) = ([Element](), [ResponseStreamError]())
        func drain() -> Bool {
            while true {
                do throws(ResponseStreamError) {
                    guard let element = try parser.next() else { return true }
                    elements.append(element)
                } catch {
                    errors.append(error)
                    if !error.isOfOneElement { return false }
                }
            }
        }
        for chunk in chunks {
            parser.append(chunk)
            guard drain() else { return (elements, errors) }
        }
        parser.finish()
        _ = drain()
        return (elements, errors)
    }
}

/// The bytes whole, split in two at every byte, and byte by byte.
func splits(of bytes: Data) -> [[Data]] {
    [[bytes], bytes.map { Data([$0]) }] + (0...bytes.count).map { [Data(bytes.prefix($0)), Data(bytes.dropFirst($0))] }
}

/// Expects the same elements, however the bytes are split.
func expectElements<Parser: StreamParser>(
    of bytes: Data, _ makeParser: () -> Parser, are expected: [Parser.Element], errors: [ResponseStreamError] = [],
    sourceLocation: SourceLocation = #_sourceLocation
) where Parser.Element: Equatable {
    for chunks in splits(of: bytes) {
        let found = makeParser().elements(in: chunks)
        guard found.elements != expected || found.errors != errors else { continue }
        Issue.record("\(found), split as \(chunks.map { Array($0) })", sourceLocation: sourceLocation)
        return
    }
}
