// swift-tools-version: 6.1
import PackageDescription

// Built by Scripts/fuzz alone, with what libFuzzer needs: see README.md. Package.swift of Moya builds the properties too,
// for the tests that hold them to the kept inputs.
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
