package import Hummingbird
import NIOCore

/// An error for a request that ended before it was complete, or whose connection failed.
///
/// The client cannot receive a response.
struct IncompleteRequestError: Error {
    let cause: any Error
}

extension Request {
    /// Reads the whole body.
    /// - Returns: the bytes of the body.
    /// - Throws: ``HTTPProblem`` if the body is too large, malformed or too slow, or an error for ``ProblemMiddleware``
    ///   if it does not arrive.
    package func readBody() async throws -> [UInt8] {
        let tooLarge = HTTPProblem.bodyTooLarge(limit: ServingLimits.maxBodyBytes)
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > ServingLimits.maxBodyBytes {
            throw tooLarge
        }
        var bytes: [UInt8] = []
        do {
            for try await part in body {
                guard bytes.count + part.readableBytes <= ServingLimits.maxBodyBytes else { throw tooLarge }
                bytes += part.readableBytesView
            }
            // Cancellation also ends the loop; the body is incomplete then.
            try Task.checkCancellation()
        } catch let error as RequestBodyError {
            throw error.problem
        } catch let error where error is HTTPProblem || error is CancellationError {
            throw error
        } catch {
            throw IncompleteRequestError(cause: error)
        }
        return bytes
    }
}
