/// The intermediate form of a value before it is written as pairs.
enum FormComponent {
    /// Nothing was encoded.
    case none
    /// A single value, not yet percent-encoded.
    case text(String)
    /// Values in order.
    case array(FormArray)
    /// Values by name.
    case object(FormObject)
    /// An encoder whose content is read at the end: it was handed out and may be used at any later time.
    case deferred(FormValueEncoder)
}

/// Values in order, shared by all containers that append to them.
final class FormArray {
    private(set) var elements: [FormComponent] = []

    func append(_ component: FormComponent) { elements.append(component) }
}

/// Values by name, in the order of first occurrence, shared by all containers that set them.
final class FormObject {
    private(set) var entries: [(key: String, component: FormComponent)] = []
    /// Kept from a size at which a linear search is slower.
    private var positions: [String: Int] = [:]
    private static let fewEntries = 16

    /// The value of a name; setting it again replaces the value and keeps its position.
    subscript(key: String) -> FormComponent? {
        get { position(of: key).map { entries[$0].component } }
        set {
            let component = newValue ?? .none
            if let position = position(of: key) {
                entries[position].component = component
            } else {
                append(key, component)
            }
        }
    }

    /// Sets the value of a name; objects and arrays with the same name are merged.
    func merge(_ key: String, _ component: FormComponent) {
        switch (self[key], component) {
        case (.object(let known), .object(let new)): known.merge(new)
        case (.deferred(let encoder), .object(let new)):
            if case .object(let known) = encoder.component { known.merge(new) } else { self[key] = component }
        case (.array(let known), .array(let new)): for element in new.elements { known.append(element) }
        default: self[key] = component
        }
    }

    private func merge(_ other: FormObject) {
        for entry in other.entries { merge(entry.key, entry.component) }
    }

    private func append(_ key: String, _ component: FormComponent) {
        entries.append((key, component))
        if entries.count == Self.fewEntries + 1 {
            for (position, entry) in entries.enumerated() { positions[entry.key] = position }
        } else if entries.count > Self.fewEntries {
            positions[key] = entries.count - 1
        }
    }

    private func position(of key: String) -> Int? {
        entries.count > Self.fewEntries ? positions[key] : entries.firstIndex { $0.key == key }
    }
}
