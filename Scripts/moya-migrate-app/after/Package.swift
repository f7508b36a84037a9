// swift-tools-version:5.1
import PackageDescription

let package = Package(
    name: "Teahouse",
    dependencies: [
        .package(url: "https://example.com/a/moya-next.git", revision: "<commit>")
    ],
    targets: [
        .target(name: "Teahouse", dependencies: [.product(name: "Moya", package: "moya-next")])
    ]
)
