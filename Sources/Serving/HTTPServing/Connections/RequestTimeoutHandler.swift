import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// A channel handler that guards the requests of an HTTP/1.1 connection, or the one request of an HTTP/2 stream.
///
/// - It responds with a problem to malformed HTTP and to headers that arrive too slowly.
/// - It throws an error to the reader of a body that does not arrive in time.
/// - It responds to `Expect: 100-continue`.
/// - It delays closing the connection until the kernel has taken every response.
final class RequestTimeoutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let isStream: Bool
    private let problems: ProblemResponder
    private var machine: RequestTimeoutMachine
    private var timer: DeadlineTimer?
    /// The handler of the connection; for a stream, that of its parent connection.
    private var connection: SlowConnectionHandler?
    /// The number of requests whose response is not completely written to the channel.
    private var pendingResponses = 0
    /// The number of written responses that the kernel has not completely taken.
    private var unflushedResponses = 0
    /// The problem to respond with after all pending responses.
    private var finalProblem: HTTPProblem?
    /// Whether further input is discarded.
    private var discardsInput = false
    private var isShuttingDown = false
    /// The promise of a close that waits for responses to be flushed.
    private var pendingClose: EventLoopPromise<Void>?

    /// Creates a handler for one channel.
    /// - Parameters:
    ///   - limits: the timeouts of clients.
    ///   - isStream: whether the channel is an HTTP/2 stream rather than an HTTP/1.1 connection.
    ///   - problems: responds to input that reaches no route.
    init(_ limits: ServingLimits, isStream: Bool, problems: ProblemResponder) {
        machine = RequestTimeoutMachine(limits)
        self.isStream = isStream
        self.problems = problems
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = isStream ? context.channel.parent : context.channel
        // A stream runs on the event loop of its connection. Without its handler, only requests have deadlines.
        connection = try? channel?.pipeline.syncOperations.handler(type: SlowConnectionHandler.self)
        timer = DeadlineTimer(
            on: context.eventLoop,
            deadline: { [weak self] in self?.machine.deadline },
            onExpiry: { [weak self] in self?.deadlineReached(context) }
        )
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !discardsInput else { return }
        switch unwrapInboundIn(data) {
        case .head(let request):
            pendingResponses += 1
            connection?.update { $0.requestStarted() }
            update { $0.headReceived(at: context.eventLoop.now) }
            if request.expectsContinue, pendingResponses == 1 {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case .body: break
        case .end: update { $0.bodyEnded() }
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Other errors are those of the connection or of TLS: no response is possible.
        let isOfRequest = error is HTTPParserError || error is HTTP1TypeConversionError || error is AmbiguousHeadError
        guard isOfRequest, !discardsInput else {
            context.fireErrorCaught(error)
            return
        }
        let problem: HTTPProblem =
            switch error as? HTTPParserError {
            case .headerOverflow: .headersTooLarge
            case .invalidMethod where startsWithUnknownMethod(context): .unknownMethod
            default: .malformedRequest
            }
        if machine.isReadingBody {
            failBody(context, with: problem)
        } else {
            respondLast(context, with: problem)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is HeaderTimeoutEvent:
            respondLast(context, with: .requestTooSlow)
        case is ChannelShouldQuiesceEvent:
            isShuttingDown = true
            context.fireUserInboundEventTriggered(event)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        update { $0.writabilityChanged(to: context.channel.isWritable, at: context.eventLoop.now) }
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var response):
            // Another request on this connection would not be read.
            if !isStream, discardsInput || isShuttingDown, response.status.kind != .informational {
                response.headerFields[.connection] = "close"
            }
            context.write(wrapOutboundOut(.head(response)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            pendingResponses -= 1
            unflushedResponses += 1
            update { $0.responseWritten(at: context.eventLoop.now) }
            let promise = promise ?? context.eventLoop.makePromise()
            promise.futureResult.assumeIsolated().whenComplete { _ in self.responseFlushed(context) }
            context.write(data, promise: promise)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, unflushedResponses > 0, context.channel.isActive else {
            context.close(mode: mode, promise: promise)
            return
        }
        let closed = pendingClose ?? context.eventLoop.makePromise()
        closed.futureResult.cascade(to: promise)
        pendingClose = closed
    }

    /// Handles a response that the kernel has taken completely, or whose write failed.
    private func responseFlushed(_ context: ChannelHandlerContext) {
        unflushedResponses -= 1
        connection?.update { $0.requestEnded(at: context.eventLoop.now) }
        guard unflushedResponses == 0 else { return }
        update { $0.responsesFlushed() }
        if let pendingClose {
            self.pendingClose = nil
            context.close(mode: .all, promise: pendingClose)
        } else if pendingResponses == 0, let finalProblem {
            write(context, finalProblem)
        }
    }

    private func deadlineReached(_ context: ChannelHandlerContext) {
        switch machine.deadlineReached(at: context.eventLoop.now) {
        case .failBody:
            failBody(context, with: .requestTooSlow)
        case .close:
            pendingClose?.succeed()
            pendingClose = nil
            context.close(mode: .all, promise: nil)
        case .nothing:
            break
        }
    }

    /// Throws an error to the reader of the body, so that the reader responds with the problem.
    ///
    /// Without a reader, the connection ends after the response.
    private func failBody(_ context: ChannelHandlerContext, with problem: HTTPProblem) {
        discardsInput = true
        update { $0.bodyEnded() }
        context.fireErrorCaught(RequestBodyError(problem: problem))
    }

    private func respondLast(_ context: ChannelHandlerContext, with problem: HTTPProblem) {
        guard !discardsInput else { return }
        discardsInput = true
        finalProblem = problem
        if pendingResponses == 0, unflushedResponses == 0 { write(context, problem) }
    }

    private func write(_ context: ChannelHandlerContext, _ problem: HTTPProblem) {
        finalProblem = nil
        let response = problems.response(to: problem)
        context.write(wrapOutboundOut(.head(response.head)), promise: nil)
        context.write(wrapOutboundOut(.body(response.body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        // The input stays open: closing it while the client still sends could cost the client the response (TCP reset).
        context.close(mode: .output, promise: nil)
        connection?.update { $0.lastResponseWritten(at: context.eventLoop.now) }
    }

    private func startsWithUnknownMethod(_ context: ChannelHandlerContext) -> Bool {
        // HTTP/2 connections have no observer, since their frames name the method.
        let observer = try? context.pipeline.syncOperations.handler(type: MethodObserver.self)
        return observer?.startsWithUnknownMethod ?? false
    }

    private func update(_ event: (inout RequestTimeoutMachine) -> Void) {
        event(&machine)
        timer?.update()
    }

    private func end(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        guard let connection else { return }
        // The remaining requests end with the stream or connection, without a response.
        for _ in 0..<(pendingResponses + unflushedResponses) {
            connection.update { $0.requestEnded(at: context.eventLoop.now) }
        }
        pendingResponses = 0
        self.connection = nil
    }
}

/// An error for a request body that was malformed or too slow, with the problem to respond with.
struct RequestBodyError: Error {
    let problem: HTTPProblem
}

extension HTTPRequest {
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1), and the body
    /// does not exceed the maximum size by its `Content-Length`.
    fileprivate var expectsContinue: Bool {
        guard headerFields[.expect]?.lowercased() == "100-continue" else { return false }
        return headerFields[.contentLength].flatMap { Int($0) }.map { $0 <= ServingLimits.maxBodyBytes } ?? true
    }
}
