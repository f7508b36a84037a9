// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Moya",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Moya", targets: ["Moya"]),
        .library(name: "MoyaTesting", targets: ["MoyaTesting"]),
    ],
    traits: [
        .trait(
            name: "TaskAlias",
            description:
                "Declares Moya.Task beside RequestTask, as Moya 15 code expects; without it Swift's Task is free."),
        .default(enabledTraits: ["TaskAlias"]),
    ],
    targets: [
        .target(name: "Moya", dependencies: ["MoyaSession"]),
        .target(name: "MoyaSession", dependencies: ["MoyaTransport", .target(name: "MoyaCurl", condition: .linux)]),
        .target(name: "MoyaCurl", dependencies: ["MoyaTransport", .target(name: "CMoyaCurl", condition: .linux)]),
        .target(
            name: "CMoyaCurl",
            linkerSettings: [
                .linkedLibrary("curl", .linux),
                .linkedLibrary("ssl", .linux),
                .linkedLibrary("crypto", .linux),
            ]),
        .target(name: "MoyaTransport"),
        .target(name: "MoyaTesting", dependencies: ["MoyaTransport"]),

        // The figures that `make simulate` prints: what decides of retries and deadlines, a million calls in virtual time.
        .executableTarget(name: "moya-simulate", dependencies: ["Moya", "MoyaTesting"], path: "Simulations"),

        .testTarget(name: "MoyaTests", dependencies: ["Moya", "MoyaTesting"]),
        .testTarget(name: "MoyaSessionTests", dependencies: ["MoyaSession", "MoyaTesting"]),
        .testTarget(name: "MoyaCurlTests", dependencies: ["MoyaCurl", "MoyaTransport", "MoyaTesting"]),
        .testTarget(name: "MoyaTestingTests", dependencies: ["MoyaTesting"]),
        // Code as Moya 15's users write it, in the language mode they write it in.
        .testTarget(
            name: "Moya15SourceTests", dependencies: ["Moya", "MoyaTesting"], swiftSettings: [.swiftLanguageMode(.v5)]),
    ],
    swiftLanguageModes: [.v6]
)

// `make sanitize` sets this: the sanitizer does not understand `Mutex`, and has a stand-in (SanitizedMutex.swift), whose
// members are then found without an import in every file.
let isThreadSanitized = Context.environment["THREAD_SANITIZER"] != nil

for target in package.targets where target.name != "CMoyaCurl" {
    var settings = target.swiftSettings ?? []
    if target.name != "Moya15SourceTests" {
        settings += [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault")]
        if !isThreadSanitized { settings.append(.enableUpcomingFeature("MemberImportVisibility")) }
    }
    if isThreadSanitized { settings.append(.define("THREAD_SANITIZER")) }
    target.swiftSettings = settings
}

extension TargetDependencyCondition {
    /// Where libcurl carries the bytes; everywhere else URLSession does.
    static var linux: TargetDependencyCondition? { .when(platforms: [.linux]) }
}

extension BuildSettingCondition {
    /// Where libcurl and OpenSSL are linked.
    static var linux: BuildSettingCondition { .when(platforms: [.linux]) }
}
