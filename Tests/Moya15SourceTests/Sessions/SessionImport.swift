import MoyaSession

/// A file that imports the session layer alone has Foundation's names, as with `import Alamofire`.
struct Avatar {
    let url: URL
    var data: Data?

    func load() -> DataRequest { AF.request(url) }
}
