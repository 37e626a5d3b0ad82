import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Watches over the requests of a connection of HTTP/1.1, or over the one of a stream of HTTP/2.
///
/// - What is no HTTP, or is so too slowly, is answered with a problem like everything else.
/// - A body that does not arrive in time fails for whoever reads it.
/// - `Expect: 100-continue` is answered.
/// - A connection is closed only after what was answered on it is with the kernel.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let isStream: Bool
    private let refusals: Refusals
    private var machine: RequestMachine
    private var timer: DeadlineTimer?
    /// Of the connection; a stream's is the same.
    private var connection: ConnectionGuard?
    /// Requests whose last part of the answer was not written yet.
    private var unanswered = 0
    /// Answers of which the kernel does not have everything yet.
    private var unwritten = 0
    /// What will be said last, when all before it is answered.
    private var refusal: Problem?
    /// Nothing that comes is for anybody any more.
    private var isDeaf = false
    private var isStopping = false
    /// Somebody wants the connection closed.
    private var waitingToClose: EventLoopPromise<Void>?

    /// - Parameters:
    ///   - limits: how long clients may take.
    ///   - isStream: whether it stands on a stream of HTTP/2, and not on a connection of HTTP/1.1.
    ///   - refusals: makes the answers to what no route gets to see.
    init(_ limits: ServingLimits, isStream: Bool, refusals: Refusals) {
        machine = RequestMachine(limits)
        self.isStream = isStream
        self.refusals = refusals
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = isStream ? context.channel.parent : context.channel
        // Streams run on the loop of their connection. Without a guard, requests have their own deadlines only.
        connection = try? channel?.pipeline.syncOperations.handler(type: ConnectionGuard.self)
        timer = DeadlineTimer(
            on: context.eventLoop,
            deadline: { [weak self] in self?.machine.deadline },
            onExpiry: { [weak self] in self?.expire(context) }
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
        guard !isDeaf else { return }
        switch unwrapInboundIn(data) {
        case .head(let request):
            unanswered += 1
            connection?.update { $0.requestBegan() }
            update { $0.headArrived(at: context.eventLoop.now) }
            if request.wantsContinue, unanswered == 1 {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case .body: break
        case .end: update { $0.bodyEnded() }
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Every other error is the connection's, or TLS's, and there is nobody to answer.
        let isOfRequest = error is HTTPParserError || error is HTTP1TypeConversionError || error is AmbiguousHeadError
        guard isOfRequest, !isDeaf else {
            context.fireErrorCaught(error)
            return
        }
        let isTooLarge = (error as? HTTPParserError) == .headerOverflow
        let problem: Problem = isTooLarge ? .headersTooLarge : .malformedRequest
        if machine.isReading {
            failBody(context, as: problem)
        } else {
            refuse(context, with: problem)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is HeadersTooSlowEvent:
            refuse(context, with: .requestTooSlow)
        case is ChannelShouldQuiesceEvent:
            isStopping = true
            context.fireUserInboundEventTriggered(event)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        update { $0.writability(is: context.channel.isWritable, at: context.eventLoop.now) }
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var response):
            // The client should not send another request: it would not be read.
            if !isStream, isDeaf || isStopping, response.status.kind != .informational {
                response.headerFields[.connection] = "close"
            }
            context.write(wrapOutboundOut(.head(response)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            unanswered -= 1
            unwritten += 1
            update { $0.answerWritten(at: context.eventLoop.now) }
            let promise = promise ?? context.eventLoop.makePromise()
            promise.futureResult.assumeIsolated().whenComplete { _ in self.answered(context) }
            context.write(data, promise: promise)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, unwritten > 0, context.channel.isActive else {
            context.close(mode: mode, promise: promise)
            return
        }
        let closed = waitingToClose ?? context.eventLoop.makePromise()
        closed.futureResult.cascade(to: promise)
        waitingToClose = closed
    }

    /// The kernel has all of an answer, or will never have it.
    private func answered(_ context: ChannelHandlerContext) {
        unwritten -= 1
        connection?.update { $0.requestEnded(at: context.eventLoop.now) }
        guard unwritten == 0 else { return }
        update { $0.answerTaken() }
        if let waitingToClose {
            self.waitingToClose = nil
            context.close(mode: .all, promise: waitingToClose)
        } else if unanswered == 0, let refusal {
            write(context, refusal)
        }
    }

    private func expire(_ context: ChannelHandlerContext) {
        switch machine.expire(at: context.eventLoop.now) {
        case .failBody:
            failBody(context, as: .requestTooSlow)
        case .close:
            waitingToClose?.succeed()
            waitingToClose = nil
            context.close(mode: .all, promise: nil)
        case .nothing:
            break
        }
    }

    /// Lets whoever reads the body answer; without a reader, the connection ends after its answer.
    private func failBody(_ context: ChannelHandlerContext, as problem: Problem) {
        isDeaf = true
        update { $0.bodyEnded() }
        context.fireErrorCaught(BrokenBody(problem: problem))
    }

    private func refuse(_ context: ChannelHandlerContext, with problem: Problem) {
        guard !isDeaf else { return }
        isDeaf = true
        refusal = problem
        if unanswered == 0, unwritten == 0 { write(context, problem) }
    }

    private func write(_ context: ChannelHandlerContext, _ problem: Problem) {
        refusal = nil
        let answer = refusals.answer(to: problem)
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        context.write(wrapOutboundOut(.body(answer.body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        // What the client has sent meanwhile is read on: to close at once would cost it the answer.
        context.close(mode: .output, promise: nil)
        connection?.update { $0.close(at: context.eventLoop.now) }
    }

    private func update(_ change: (inout RequestMachine) -> Void) {
        change(&machine)
        timer?.update()
    }

    private func end(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        guard let connection else { return }
        // A stream that ends without an answer.
        for _ in 0..<(unanswered + unwritten) { connection.update { $0.requestEnded(at: context.eventLoop.now) } }
        unanswered = 0
        self.connection = nil
    }
}

/// The body of a request did not arrive as it must; the problem is the answer.
struct BrokenBody: Error {
    let problem: Problem
}

extension HTTPRequest {
    /// Whether the client waits for a word before it sends the body (RFC 9110, section 10.1.1); a body that is too large is
    /// answered without having been asked for.
    fileprivate var wantsContinue: Bool {
        guard headerFields[.expect]?.lowercased() == "100-continue" else { return false }
        return headerFields[.contentLength].flatMap { Int($0) }.map { $0 <= Call<Void>.largestBodyBytes } ?? true
    }
}
