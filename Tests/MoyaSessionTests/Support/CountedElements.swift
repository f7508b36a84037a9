import Foundation
import MoyaTesting

/// Yields elements, and counts how often it was asked for one.
struct CountedElements: AsyncSequence, Sendable {
    /// An element that cannot be had.
    struct Broken: Error, Equatable {}

    let asked = Watched(0)
    private let elements: [String]
    private let isBroken: Bool

    /// - Parameter isBroken: `true` if an error follows the elements.
    init(_ elements: String..., isBroken: Bool = false) {
        self.elements = elements
        self.isBroken = isBroken
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(asked: asked, elements: elements.map { Data($0.utf8) }[...], isBroken: isBroken)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let asked: Watched<Int>
        fileprivate var elements: ArraySlice<Data>
        fileprivate let isBroken: Bool

        mutating func next() async throws -> Data? {
            asked.update { $0 += 1 }
            guard let element = elements.popFirst() else {
                if isBroken { throw Broken() }
                return nil
            }
            return element
        }
    }
}

/// Yields nothing until its task is cancelled, which ends it.
struct EndlessWait: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = Data

    let asked = Watched(0)
    let ended = Gate()

    func makeAsyncIterator() -> EndlessWait { self }

    mutating func next() async throws -> Data? {
        asked.update { $0 += 1 }
        defer { ended.open() }
        try await Gate().wait()
        return nil
    }
}
