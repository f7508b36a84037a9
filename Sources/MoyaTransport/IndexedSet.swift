/// An element of an ``IndexedSet``, which remembers its place there.
package protocol Indexed: AnyObject {
    /// The place, while the element is in a set; changed only by the set, and under whatever guards that.
    var index: Int? { get set }
}

/// Elements in no order, each of which is inserted and removed in constant time, without being hashed.
///
/// An element is in one set at most. The set is not generic: another module would have to look up its code at every call.
package struct IndexedSet {
    private var elements: [any Indexed] = []

    /// Makes an empty set.
    package init() {}

    /// `true` if there is no element.
    package var isEmpty: Bool { elements.isEmpty }

    /// The elements that are of a class, in no order.
    package func all<Element: Indexed>(_: Element.Type) -> [Element] { elements.compactMap { $0 as? Element } }

    /// The elements, in no order.
    package func all() -> [any Indexed] { elements }

    /// Inserts an element, unless it is in already.
    package mutating func insert(_ element: any Indexed) {
        guard element.index == nil else { return }
        element.index = elements.count
        elements.append(element)
    }

    /// Removes an element, if it is in; the last one takes its place.
    package mutating func remove(_ element: any Indexed) {
        guard let index = element.index, let last = elements.popLast() else { return }
        element.index = nil
        guard last !== element else { return }
        elements[index] = last
        last.index = index
    }

    /// Removes every element.
    package mutating func removeAll() {
        for element in elements { element.index = nil }
        elements = []
    }
}
