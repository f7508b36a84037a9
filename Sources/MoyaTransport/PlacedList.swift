/// An element of a ``PlacedList``, which remembers its place there.
package protocol Placed: AnyObject {
    /// The place, while the element is in a list; the list's alone, and under whatever guards that.
    var place: Int? { get set }
}

/// Elements in no order, each of which goes in and out in constant time, and without being hashed.
///
/// An element is in one list at most. The list is not generic: another module would have to look up its code at every call.
package struct PlacedList {
    private var elements: [any Placed] = []

    /// Makes an empty list.
    package init() {}

    /// Whether there is no element.
    package var isEmpty: Bool { elements.isEmpty }

    /// The elements that are of a class, in no order.
    package func all<Element: Placed>(_: Element.Type) -> [Element] { elements.compactMap { $0 as? Element } }

    /// Puts an element in, unless it is in already.
    package mutating func insert(_ element: any Placed) {
        guard element.place == nil else { return }
        element.place = elements.count
        elements.append(element)
    }

    /// Takes an element out, if it is in; the last one takes its place.
    package mutating func remove(_ element: any Placed) {
        guard let place = element.place, let last = elements.popLast() else { return }
        element.place = nil
        guard last !== element else { return }
        elements[place] = last
        last.place = place
    }

    /// Takes every element out.
    package mutating func removeAll() {
        for element in elements { element.place = nil }
        elements = []
    }
}
