// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Moya",
    platforms: [.macOS(.v13), .iOS(.v16), .macCatalyst(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Moya", targets: ["Moya"]),
        .library(name: "MoyaSession", targets: ["MoyaSession"]),
        .library(name: "MoyaURLSession", targets: ["MoyaURLSession"]),
        .library(name: "MoyaTesting", targets: ["MoyaTesting"]),
        .library(name: "TransportConformance", targets: ["TransportConformance"]),
        .library(name: "RxMoya", targets: ["RxMoya"]),
        .library(name: "ReactiveMoya", targets: ["ReactiveMoya"]),
        .library(name: "CombineMoya", targets: ["CombineMoya"]),
        .library(name: "MoyaHTTPTypes", targets: ["MoyaHTTPTypes"]),
        .library(name: "MoyaOpenAPI", targets: ["MoyaOpenAPI"]),
    ],
    traits: [
        .trait(
            name: "TaskAlias",
            description:
                "Declares Moya.Task beside RequestTask, as Moya 15 code expects; without it Swift's Task is free."),
        .trait(name: "RxMoya", description: "Fetches RxSwift and fills the product RxMoya, which is empty without it."),
        .trait(
            name: "ReactiveMoya",
            description: "Fetches ReactiveSwift and fills the product ReactiveMoya, which is empty without it."),
        .trait(
            name: "CombineMoya",
            description: "Fills the product CombineMoya, which is empty without it; fetches OpenCombine for Linux."),
        .trait(
            name: "HTTPTypes",
            description: "Fetches swift-http-types and fills the product MoyaHTTPTypes, which is empty without it."),
        .trait(
            name: "OpenAPI",
            description: "Fetches swift-openapi-runtime and fills the product MoyaOpenAPI, which is empty without it.",
            enabledTraits: ["HTTPTypes"]),
        .trait(
            name: "FastJSON",
            description: "Fetches yyjson, which the default JSON decoder then uses."),
        .default(enabledTraits: ["TaskAlias"]),
    ],
    // None of these is fetched unless its trait is on.
    dependencies: [
        .package(url: "https://github.com/ReactiveX/RxSwift.git", from: "6.9.0"),
        .package(url: "https://github.com/ReactiveCocoa/ReactiveSwift.git", from: "7.0.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-openapi-runtime.git", from: "1.7.0"),
        .package(url: "https://github.com/ibireme/yyjson.git", from: "0.12.0"),
    ],
    targets: [
        .target(name: "Moya", dependencies: ["MoyaSession", "MoyaTransport"]),
        .target(
            name: "MoyaSession",
            dependencies: [
                "MoyaTransport", .target(name: "MoyaCurl", condition: .linux),
                .target(name: "MoyaURLSession", condition: .apple), .yyjson,
            ]),
        .target(name: "MoyaCurl", dependencies: ["MoyaTransport", .target(name: "CMoyaCurl", condition: .linux)]),
        .target(
            name: "CMoyaCurl",
            linkerSettings: [
                .linkedLibrary("curl", .linux),
                .linkedLibrary("ssl", .linux),
                .linkedLibrary("crypto", .linux),
            ]),
        .target(name: "MoyaURLSession", dependencies: ["MoyaTransport"]),
        .target(name: "MoyaTransport"),
        .target(name: "MoyaTesting", dependencies: ["MoyaTransport"]),
        .target(name: "TransportConformance", dependencies: ["MoyaTransport", "MoyaTesting"]),
        .target(name: "RxMoya", dependencies: ["Moya", .rxSwift]),
        .target(name: "ReactiveMoya", dependencies: ["Moya", .reactiveSwift]),
        .target(name: "CombineMoya", dependencies: ["Moya", "MoyaSession", .openCombine]),
        // Bridges to the message types of others.
        .target(name: "MoyaHTTPTypes", dependencies: ["MoyaSession", "MoyaTransport", .httpTypes]),
        .target(
            name: "MoyaOpenAPI",
            dependencies: ["MoyaHTTPTypes", "MoyaSession", "MoyaTransport", .httpTypesForOpenAPI, .openAPIRuntime]),
        // The duties of every adapter, for the tests of each.
        .target(
            name: "AdapterContract", dependencies: ["Moya", "MoyaSession", "MoyaTransport", "MoyaTesting"],
            path: "Tests/AdapterContract"),

        // The figures that `make simulate` prints: what decides of retries and deadlines, a million calls in virtual time.
        .executableTarget(
            name: "moya-simulate", dependencies: ["Moya", "MoyaTesting", "MoyaTransport"], path: "Simulations"),

        .testTarget(
            name: "MoyaTests",
            dependencies: [
                "Moya", "MoyaSession", "MoyaTransport", "MoyaTesting", "MoyaURLSession", "TransportConformance",
            ]),
        .testTarget(name: "MoyaSessionTests", dependencies: ["MoyaSession", "MoyaTransport", "MoyaTesting"]),
        .testTarget(
            name: "MoyaCurlTests",
            dependencies: [
                "MoyaCurl", .target(name: "CMoyaCurl", condition: .linux), "MoyaTransport", "MoyaTesting",
                "TransportConformance",
            ]),
        .testTarget(name: "MoyaTestingTests", dependencies: ["MoyaTransport", "MoyaTesting", "TransportConformance"]),
        // The properties of FuzzTesting, checked with the inputs that it keeps.
        .testTarget(
            name: "FuzzReplayTests", dependencies: ["Moya", "MoyaSession", "MoyaCurl", "MoyaTransport"],
            path: "FuzzTesting",
            exclude: ["Package.swift", "README.md", "Corpus", "Failures", "Sources/moya-fuzz/FuzzCommand.swift"],
            sources: ["Sources/moya-fuzz/Properties", "Tests"]),
        // One suite for every wire.
        .testTarget(
            name: "TransportConformanceTests",
            dependencies: [
                "MoyaSession", "MoyaCurl", "MoyaURLSession", "MoyaTransport", "MoyaTesting", "TransportConformance",
            ]),
        .testTarget(
            name: "MoyaURLSessionTests",
            dependencies: ["Moya", "MoyaSession", "MoyaURLSession", "MoyaTransport", "MoyaTesting"]),
        .testTarget(
            name: "RxMoyaTests",
            dependencies: ["RxMoya", "Moya", "MoyaTransport", "MoyaTesting", "AdapterContract", .rxSwift]),
        .testTarget(
            name: "ReactiveMoyaTests",
            dependencies: ["ReactiveMoya", "Moya", "MoyaTransport", "MoyaTesting", "AdapterContract", .reactiveSwift]),
        .testTarget(
            name: "CombineMoyaTests",
            dependencies: [
                "CombineMoya", "Moya", "MoyaSession", "MoyaTransport", "MoyaTesting", "AdapterContract", .openCombine,
            ]),
        .testTarget(
            name: "MoyaHTTPTypesTests",
            dependencies: ["MoyaHTTPTypes", "MoyaSession", "MoyaTransport", "MoyaTesting", .httpTypes]),
        .testTarget(
            name: "MoyaOpenAPITests",
            dependencies: [
                "MoyaOpenAPI", "MoyaSession", "MoyaTransport", "MoyaTesting", .httpTypesForOpenAPI, .openAPIRuntime,
            ]),
        // The samples of the articles, which `make docs-check` holds to them.
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["Moya", "MoyaSession", "MoyaTransport", "MoyaTesting", "TransportConformance"]),
        // A module with the short names of apps and of other packages, and code that imports it beside Moya.
        .target(name: "ShortNames", path: "Tests/ShortNames"),
        .testTarget(name: "ShortNamesTests", dependencies: ["Moya", "ShortNames"]),
        // Code as Moya 15's users write it, in the language mode they write it in.
        .testTarget(
            name: "Moya15SourceTests", dependencies: ["Moya", "MoyaSession"], swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "ReactiveSourceTests",
            dependencies: ["Moya", "MoyaTesting", "RxMoya", "CombineMoya", .rxSwift, .openCombine],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ],
    swiftLanguageModes: [.v6]
)

// `Lock` is then the one of Apple's systems, over a lock of POSIX: for `make sanitize`, whose thread sanitizer understands
// it, and for a run of every test with it.
let hasPOSIXLock = Context.environment["POSIX_LOCK"] != nil

for target in package.targets where target.name != "CMoyaCurl" {
    var settings = target.swiftSettings ?? []
    if target.name != "Moya15SourceTests", target.name != "ReactiveSourceTests" {
        settings += ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map {
            .enableUpcomingFeature($0)
        }
    }
    if hasPOSIXLock { settings.append(.define("POSIX_LOCK")) }
    target.swiftSettings = settings
}

// Apple's tools read the privacy manifest from the resources of the target whose code it speaks of. Elsewhere nobody reads
// it, and one resource would give every program a folder to be shipped with, and in its code the path of the folder that
// it was built in: so it is a resource where the manifest is evaluated on a Mac, and no part of the target elsewhere.
for target in package.targets where target.name == "MoyaSession" {
    #if canImport(Darwin)
    target.resources = [.process("PrivacyInfo.xcprivacy")]
    #else
    target.exclude = ["PrivacyInfo.xcprivacy"]
    #endif
}

extension TargetDependencyCondition {
    /// Where libcurl carries the bytes; everywhere else URLSession does.
    static var linux: TargetDependencyCondition? { .when(platforms: [.linux]) }

    /// Where URLSession does.
    static var apple: TargetDependencyCondition? {
        .when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS])
    }
}

extension Target.Dependency {
    static var rxSwift: Self { .product(name: "RxSwift", package: "RxSwift", condition: .when(traits: ["RxMoya"])) }
    static var reactiveSwift: Self {
        .product(name: "ReactiveSwift", package: "ReactiveSwift", condition: .when(traits: ["ReactiveMoya"]))
    }
    static var httpTypes: Self {
        .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTPTypes"]))
    }
    static var httpTypesForOpenAPI: Self {
        .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["OpenAPI"]))
    }
    static var openAPIRuntime: Self {
        .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime", condition: .when(traits: ["OpenAPI"]))
    }
    static var yyjson: Self { .product(name: "yyjson", package: "yyjson", condition: .when(traits: ["FastJSON"])) }
    /// Stands for Combine where there is none.
    static var openCombine: Self {
        .product(
            name: "OpenCombine", package: "OpenCombine",
            condition: .when(platforms: [.linux], traits: ["CombineMoya"]))
    }
}

extension BuildSettingCondition {
    /// Where libcurl and OpenSSL are linked.
    static var linux: BuildSettingCondition { .when(platforms: [.linux]) }
}
