import Foundation
import Testing

/// The manifest that Apple requires of packages declares exactly what the sources do.
@Suite struct PrivacyManifestTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The sources that are built for Apple platforms and go into apps.
    private static let folders = ["Moya", "MoyaSession", "MoyaTransport", "MoyaURLSession"]

    /// The names of each category, as Apple lists them.
    private static let names = [
        "NSPrivacyAccessedAPICategoryFileTimestamp": [
            "creationDate", "modificationDate", "fileModificationDate", "contentModificationDateKey", "creationDateKey",
            "getattrlist", "getattrlistbulk", "fgetattrlist", "stat", "fstat", "fstatat", "lstat", "getattrlistat",
        ],
        "NSPrivacyAccessedAPICategorySystemBootTime": ["systemUptime", "mach_absolute_time"],
        "NSPrivacyAccessedAPICategoryDiskSpace": [
            "volumeAvailableCapacityKey", "volumeAvailableCapacityForImportantUsageKey",
            "volumeAvailableCapacityForOpportunisticUsageKey", "volumeTotalCapacityKey", "systemFreeSize", "systemSize",
            "statfs", "statvfs", "fstatfs", "fstatvfs",
        ],
        "NSPrivacyAccessedAPICategoryActiveKeyboards": ["activeInputModes"],
        "NSPrivacyAccessedAPICategoryUserDefaults": ["UserDefaults"],
    ]

    private func manifest() throws -> [String: Any] {
        let data = try Data(contentsOf: Self.root.appending(path: "Sources/MoyaSession/PrivacyInfo.xcprivacy"))
        return try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    }

    private func declaredReasons() throws -> [String: [String]] {
        let entries = try #require(try manifest()["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        return Dictionary(
            uniqueKeysWithValues: try entries.map { entry in
                (
                    try #require(entry["NSPrivacyAccessedAPIType"] as? String),
                    try #require(entry["NSPrivacyAccessedAPITypeReasons"] as? [String])
                )
            })
    }

    /// The words of the sources, without those of their comments.
    private func words() throws -> Set<String> {
        var words: Set<String> = []
        for folder in Self.folders {
            let place = Self.root.appending(path: "Sources/\(folder)").path
            for file in FileManager.default.enumerator(atPath: place)?.compactMap({ $0 as? String }) ?? []
            where file.hasSuffix(".swift") {
                for line in try String(contentsOfFile: "\(place)/\(file)", encoding: .utf8).split(separator: "\n")
                where !line.drop(while: \.isWhitespace).hasPrefix("//") {
                    words.formUnion(line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
                }
            }
        }
        return words
    }

    @Test func manifestDeclaresNoTrackingAndNoCollectedData() throws {
        let manifest = try manifest()
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        #expect((manifest["NSPrivacyTrackingDomains"] as? [Any])?.isEmpty == true)
        #expect((manifest["NSPrivacyCollectedDataTypes"] as? [Any])?.isEmpty == true)
    }

    @Test func everyCategoryThatTheSourcesUseIsDeclaredAndNoOther() throws {
        let words = try words()
        #expect(words.contains("URLRequest"), "The sources were not found.")
        let used = Self.names.filter { !words.isDisjoint(with: $0.value) }.keys
        #expect(try declaredReasons().keys.sorted() == used.sorted())
    }

    @Test func filesAreTheAppsOrGrantedByTheUser() throws {
        #expect(try declaredReasons()["NSPrivacyAccessedAPICategoryFileTimestamp"] == ["C617.1", "3B52.1"])
    }
}
