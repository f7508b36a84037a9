/// An element of an ``IndexedSet``, which stores its index there.
package protocol Indexed: AnyObject {
    /// The index, while the element is in a set; changed only by the set, under the set's lock.
    var index: Int? { get set }
}

/// An unordered set with insertion and removal in constant time, without hashing.
///
/// An element is in at most one set. The set is not generic: another module would have to look up its code at every
/// call.
package struct IndexedSet {
    private var elements: [any Indexed] = []

    /// Makes an empty set.
    package init() {}

    /// `true` if there is no element.
    package var isEmpty: Bool { elements.isEmpty }

    /// The number of elements.
    package var count: Int { elements.count }

    /// The elements of a class, unordered.
    package func all<Element: Indexed>(_: Element.Type) -> [Element] { elements.compactMap { $0 as? Element } }

    /// The elements, unordered.
    package func all() -> [any Indexed] { elements }

    /// Inserts an element, unless it is already in the set.
    package mutating func insert(_ element: any Indexed) {
        guard element.index == nil else { return }
        element.index = elements.count
        elements.append(element)
    }

    /// Removes an element, if it is in the set; the last element takes its index.
    package mutating func remove(_ element: any Indexed) {
        guard let index = element.index, let last = elements.popLast() else { return }
        element.index = nil
        guard last !== element else { return }
        elements[index] = last
        last.index = index
    }
}
