#if os(Linux)
import CMoyaCurl
import Foundation
import Glibc
import MoyaTransport

/// The trusted root certificates of a session, parsed once for all of its connections.
final class CertificateAuthorities: Sendable {
    /// The system's, where libcurl was built to find them; read at the first connection.
    static let system = CertificateAuthorities(systemOf: curl_version_info(CURLVERSION_EIGHTH))

    private let file: URL?
    private let directory: String?
    /// The name of the setting in error messages.
    private let name: String
    private let advice: String
    /// The lock is also held while a file is read, so that it is read once.
    private let current: Lock<Store?>

    /// Reads the certificates early, so that a malformed one is reported before it is needed.
    static func read(
        _ authorities: TransportConfiguration.CertificateAuthorities
    ) throws(TransportFailure) -> CertificateAuthorities {
        switch authorities {
        case .system: return system
        case .file(let url):
            let authorities = CertificateAuthorities(file: url, name: "certificateAuthorities")
            do throws(TransportFailure) { _ = try authorities.store() } catch {
                // The next connection may be able to read it.
                guard error.mayPass else { throw error }
            }
            return authorities
        case .certificates(let certificates): return try CertificateAuthorities(certificates)
        }
    }

    init(file: URL?, directory: String? = nil, name: String, advice: String = "") {
        self.file = file
        self.directory = directory
        self.name = name
        self.advice = advice
        current = Lock(nil)
    }

    convenience init(systemOf library: UnsafePointer<curl_version_info_data>?) {
        func path(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }
        // The description of an older library ends before these fields.
        let library = library.flatMap { $0.pointee.age.rawValue >= CURLVERSION_SEVENTH.rawValue ? $0 : nil }
        let (file, directory) = (path(library?.pointee.cainfo), path(library?.pointee.capath))
        self.init(
            file: (file ?? (directory == nil ? path(X509_get_default_cert_file()) : nil)).map(
                URL.init(fileURLWithPath:)),
            directory: directory, name: "The system's certificate authorities",
            advice: " Install the package ca-certificates, or set certificateAuthorities.")
    }

    private init(_ certificates: [Data]) throws(TransportFailure) {
        (file, directory, name, advice) = (nil, nil, "certificateAuthorities", "")
        current = Lock(nil)
        guard !certificates.isEmpty else {
            throw failure("the list is empty, so that no server could be trusted. Add a certificate, or use .system.")
        }
        let store = try Store(in: nil, read: identities)
        for (index, certificate) in certificates.enumerated() {
            try add(certificate, named: "element \(index)", to: store)
        }
        current.withLock { $0 = store }
    }

    /// Returns the store for a new connection, which releases it; a file or a directory that has changed is read again.
    ///
    /// No TLS session that was verified with another store is resumed.
    func retainedStore() throws(TransportFailure) -> OpaquePointer {
        let store = try store()
        moya_authorities_retain(store.pointer)
        return store.pointer
    }

    private func store() throws(TransportFailure) -> Store {
        try current.withLock { current throws(TransportFailure) in
            // Before reading: a later change is found at the next connection.
            let identities = identities
            if let current, current.identities == identities { return current }
            let store = try read(identities)
            current = store
            return store
        }
    }

    /// Numbers of the file and the directory.
    private var identities: [FileIdentity?] {
        [file?.path, directory].map { path in path.flatMap { FileIdentity(at: $0) } }
    }

    private func read(_ identities: [FileIdentity?]) throws(TransportFailure) -> Store {
        let store = try Store(in: directory, read: identities)
        guard let file else { return store }
        let content: Data
        do throws(RegularFile.Refusal) {
            content = try RegularFile.contents(of: file)
        } catch {
            throw failure("the file \(file.path) \(error).\(advice)", cause: error)
        }
        try add(content, named: "the file \(file.path)", to: store)
        return store
    }

    private func add(_ content: Data, named element: String, to store: Store) throws(TransportFailure) {
        switch store.add(content) {
        case 0: throw failure("\(element) holds no certificate.\(advice)")
        case ..<0: throw failure("\(element) holds something that is no certificate, in neither PEM nor DER form.")
        default: break
        }
    }

    private func failure(_ message: String, cause: RegularFile.Refusal? = nil) -> TransportFailure {
        TransportFailure(.tls(.certificateAuthorities), message: "\(name): \(message)", cause: cause)
    }

    /// OpenSSL's store, released with the last reference.
    ///
    /// `@unchecked`: OpenSSL protects it by a lock.
    final class Store: @unchecked Sendable {
        let pointer: OpaquePointer
        /// The file and the directory when they were read.
        let identities: [FileIdentity?]

        init(in directory: String?, read identities: [FileIdentity?]) throws(TransportFailure) {
            guard let pointer = moya_authorities_make(directory) else { throw .outOfResources }
            self.pointer = pointer
            self.identities = identities
        }

        deinit { moya_authorities_release(pointer) }

        /// Returns the number of added certificates, negative if one is malformed.
        func add(_ certificates: Data) -> Int {
            certificates.withUnsafeBytes { bytes in
                guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return 0 }
                return Int(moya_authorities_add(pointer, base, bytes.count))
            }
        }
    }
}

/// Numbers that change when a file is replaced or written to, or when a directory gets or loses an entry.
struct FileIdentity: Sendable, Equatable {
    private let numbers: [Int]

    init?(at path: String) {
        var status = stat()
        guard fstatat(AT_FDCWD, path, &status, 0) == 0 else { return nil }
        numbers = [
            Int(bitPattern: UInt(status.st_dev)), Int(bitPattern: UInt(status.st_ino)), Int(status.st_size),
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }
}
#endif
