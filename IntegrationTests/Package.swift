// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "MoyaIntegrationTests",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Moya", path: "..")],
    targets: [
        .testTarget(
            name: "IntegrationTests",
            dependencies: [.product(name: "Moya", package: "Moya")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
