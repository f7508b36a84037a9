package import Foundation

/// An error of a system call.
package struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The system's number (`errno`).
    package let number: Int32

    package init(number: Int32) { self.number = number }

    /// The system's message.
    package var description: String { Self.text(of: number) }

    /// `true` if the same call may succeed later: the error is not one of the path.
    package var mayPass: Bool { [EMFILE, ENFILE, ENOMEM, EACCES, EPERM, EIO].contains(number) }

    /// Foundation's error for an error number.
    package static func posix(_ number: Int32) -> POSIXError { POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO) }

    /// The system's message for an error number.
    package static func text(of number: Int32) -> String { strerror(number).map { String(cString: $0) } ?? "\(number)" }
}

/// The system's `close`, for methods of types with a method of that name.
func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// The system's `read`, for methods of types with a method of that name.
package func readDescriptor(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// The system's `write`, for methods of types with a method of that name.
func writeDescriptor(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
