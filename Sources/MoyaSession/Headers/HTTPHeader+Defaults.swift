import Foundation

extension HTTPHeader {
    /// The content codings that a session accepts.
    public static let defaultAcceptEncoding = acceptEncoding("br;q=1.0, gzip;q=0.9, deflate;q=0.8")

    /// The user's first six preferred languages, weighted from 1.0 down.
    public static let defaultAcceptLanguage = acceptLanguage(weighted(Locale.preferredLanguages))

    /// The product that sends the request and its platform:
    /// `app/1.2 (com.example.app; build:7; Linux 6.1.0) Moya/1.0.0`.
    ///
    /// Values missing from the bundle are `Unknown`.
    public static let defaultUserAgent = userAgent(
        userAgentText(
            information: Bundle.main.infoDictionary ?? [:],
            arguments: ProcessInfo.processInfo.arguments,
            version: ProcessInfo.processInfo.operatingSystemVersion))

    static func weighted(_ languages: [String]) -> String {
        if languages.isEmpty { return "*" }
        return languages.prefix(6).enumerated()
            .map { index, language in "\(language);q=\(index == 0 ? "1.0" : "0.\(10 - index)")" }
            .joined(separator: ", ")
    }

    static func userAgentText(
        information: [String: Any], arguments: [String], version: OperatingSystemVersion
    ) -> String {
        let unknown = "Unknown"
        func entry(_ key: String) -> String? { information[key] as? String }
        let executable =
            entry("CFBundleExecutable")
            ?? arguments.first?.split(separator: "/").last.map(String.init)
            ?? unknown
        let shortVersion = entry("CFBundleShortVersionString") ?? unknown
        let bundle = entry("CFBundleIdentifier") ?? unknown
        let build = entry("CFBundleVersion") ?? unknown
        let system = "\(systemName) \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        let text =
            "\(executable)/\(shortVersion) (\(bundle); build:\(build); \(system)) Moya/\(MoyaVersion.current)"
        // A file name may contain any character, including a line break; a field value may not.
        return String(String.UnicodeScalarView(text.unicodeScalars.map { (" "..."~").contains($0) ? $0 : "_" }))
    }

    private static var systemName: String {
        #if targetEnvironment(macCatalyst)
        "macOS(Catalyst)"
        #elseif os(macOS)
        "macOS"
        #elseif os(iOS)
        "iOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #elseif os(visionOS)
        "visionOS"
        #else
        "Linux"
        #endif
    }
}
