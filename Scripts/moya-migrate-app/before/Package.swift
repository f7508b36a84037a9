// swift-tools-version:5.1
import PackageDescription

let package = Package(
    name: "Teahouse",
    dependencies: [
        .package(url: "https://github.com/Moya/Moya.git", .upToNextMajor(from: "13.0.0"))
    ],
    targets: [
        .target(name: "Teahouse", dependencies: [.product(name: "Moya", package: "Moya")])
    ]
)
