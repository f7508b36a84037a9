/// An array that usually has at most one element; the first element is stored without an allocation.
struct InlineArray1<Element: Sendable>: Sendable {
    private(set) var first: Element?
    private var rest: [Element] = []

    var isEmpty: Bool { first == nil }

    /// `true` if there is at most one element.
    var hasOneAtMost: Bool { rest.isEmpty }

    var last: Element? { rest.last ?? first }

    /// The elements, in order.
    var array: [Element] { first.map { [$0] + rest } ?? [] }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { rest.append(element) }
    }

    /// Adds an element at the end, or before all others if `isFirst` is `true`.
    mutating func add(_ element: Element, isFirst: Bool) {
        guard isFirst, let first else { return append(element) }
        rest.insert(first, at: 0)
        self.first = element
    }

    func contains(where isWanted: (Element) -> Bool) -> Bool {
        first.map(isWanted) == true || rest.contains(where: isWanted)
    }

    /// Calls a closure with each element, in order.
    func forEach<Failure: Error>(_ body: (Element) throws(Failure) -> Void) throws(Failure) {
        guard let first else { return }
        try body(first)
        for element in rest { try body(element) }
    }
}
