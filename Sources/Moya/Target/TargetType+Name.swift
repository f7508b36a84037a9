import MoyaTransport

extension TargetType {
    /// The printed form of the target: the case of an enum, or the type, without values, which may be secrets.
    package var printedName: String {
        let target: any TargetType = innermost
        let mirror = Mirror(reflecting: target)
        // Only an enum's own mirror has no children except its values.
        guard mirror.displayStyle == .enum, !(target is any CustomReflectable) else { return "\(type(of: target))" }
        if let value = mirror.children.first { return value.label ?? "\(type(of: target))" }
        // Only the text of a case tells its name.
        let isCase =
            !(target is any CustomStringConvertible) && !(target is any CustomDebugStringConvertible)
            && !(target is any TextOutputStreamable)
        return isCase ? "\(target)" : "\(type(of: target))"
    }
}

extension MultiTarget: MaskedDescription {
    /// The case or the type of the wrapped target.
    public var description: String { "MultiTarget.target(\(printedName))" }
}

extension RequestTask: MaskedDescription {
    /// The case and the amount of content, without values.
    public var description: String {
        switch self {
        case .requestPlain: "requestPlain"
        case .requestData(let data): "requestData(\(data.count) bytes)"
        case .requestJSONEncodable(let value): "requestJSONEncodable(\(type(of: value)))"
        case .requestCustomJSONEncodable(let value, _): "requestCustomJSONEncodable(\(type(of: value)))"
        case .requestParameters(let parameters, _): "requestParameters(\(parameters.count))"
        case .requestCompositeData(let data, let parameters):
            "requestCompositeData(\(data.count) bytes, \(parameters.count))"
        case .requestCompositeParameters(let body, _, let parameters):
            stream.map { "uploadStream(\($0.length.map { "\($0) bytes" } ?? "unknown length"), \(parameters.count))" }
                ?? "requestCompositeParameters(\(body.count), \(parameters.count))"
        case .uploadFile(let url): "uploadFile(\(url.path))"
        case .uploadMultipart(let parts): "uploadMultipart(\(parts))"
        case .uploadCompositeMultipart(let parts, let parameters):
            "uploadCompositeMultipart(\(parts), \(parameters.count))"
        case .downloadDestination: "downloadDestination"
        case .downloadParameters(let parameters, _, _): "downloadParameters(\(parameters.count))"
        }
    }
}

extension MultipartFormData: MaskedDescription {
    /// The name, the file name and the kind of the content.
    public var description: String {
        "MultipartFormData(\(name)\(fileName.map { ", \($0)" } ?? ""), \(provider))"
    }
}

extension MultipartFormData.FormDataProvider: MaskedDescription {
    /// The kind of the content, and its length if known.
    public var description: String {
        switch self {
        case .data(let data): "data(\(data.count) bytes)"
        case .file(let url): "file(\(url.path))"
        case .stream(_, let length): "stream(\(length) bytes)"
        }
    }
}
