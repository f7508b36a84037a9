// swift-tools-version: 6.1
import PackageDescription

// Built only by Scripts/fuzz, with the requirements of libFuzzer: see README.md. Moya's Package.swift also builds the
// properties, for the tests that run them on the stored inputs.
let package = Package(
    name: "MoyaFuzzTesting",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Moya", path: "..", traits: [])],
    targets: [
        .executableTarget(
            name: "moya-fuzz",
            dependencies: [.product(name: "Moya", package: "Moya")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
