import Encodings
import Foundation

/// Pushes that address the app and no Live Activity: notifications and reloads of widgets.
extension PhoneWall {
    /// Delivers a notification to a phone.
    mutating func notify(_ arrival: Arrival, _ request: ReceivedPush, on phoneIndex: Int) -> Outcome {
        var findings: [PushInspection.Finding] = []
        var notification: ReceivedNotification?
        do {
            let read = try JSONDecoder().decode(ReceivedNotification.self, from: Data(request.payload))
            findings = read.findings + PushInspection.inspectAlert(read.alert, catalog)
            notification = read
        } catch {
            let detail = explanation(of: error, in: request.payload)
            findings.append(.init(kind: .unreadablePayload, detail: detail))
        }
        let target = Delivery.Target.notification(notification, collapseID: request.collapseID)
        return forward(arrival, request, to: target, on: phoneIndex, alert: notification?.alert, findings)
    }

    /// Reloads the widgets of a phone.
    mutating func reloadWidgets(_ arrival: Arrival, _ request: ReceivedPush, on phoneIndex: Int) -> Outcome {
        struct Payload: Decodable {
            struct Members: Decodable {
                let isContentChanged: Bool?

                private enum CodingKeys: String, CodingKey {
                    case isContentChanged = "content-changed"
                }
            }

            let aps: Members
        }
        var findings: [PushInspection.Finding] = []
        var isContentChanged = false
        do {
            let payload = try JSONDecoder().decode(Payload.self, from: Data(request.payload))
            isContentChanged = payload.aps.isContentChanged == true
            if !isContentChanged {
                let detail = "aps.content-changed is not true, so no widget is reloaded"
                findings.append(.init(kind: .missingContentChanged, detail: detail))
            }
        } catch {
            let detail = explanation(of: error, in: request.payload)
            findings.append(.init(kind: .unreadablePayload, detail: detail))
        }
        let target = Delivery.Target.widgets(isContentChanged: isContentChanged)
        return forward(arrival, request, to: target, on: phoneIndex, alert: nil, findings)
    }

    private mutating func forward(
        _ arrival: Arrival,
        _ request: ReceivedPush,
        to target: Delivery.Target,
        on phoneIndex: Int,
        alert: ReceivedAlert?,
        _ findings: [PushInspection.Finding]
    ) -> Outcome {
        let reaction = forward(delivery(of: arrival, request, nil, to: target, on: phoneIndex), at: arrival.time)
        phones[phoneIndex].revision += 1
        let locale = phones[phoneIndex].locale
        return accept(
            arrival,
            at: Subject(phoneID: phones[phoneIndex].id),
            on: phoneIndex,
            nil,
            reaction,
            alert.flatMap { ShownAlert($0, in: catalog, for: locale, at: arrival.time) },
            findings + PushInspection.inspectExpiration(request)
        )
    }

    /// Shows a notification that has reached its phone, in the phone's language.
    mutating func show(
        _ notification: ReceivedNotification?,
        collapseID: String?,
        of delivery: Delivery,
        at now: Timestamp
    ) -> PhoneActivity.Reaction {
        let locale = phones[delivery.phoneIndex].locale
        guard let notification, let alert = ShownAlert(notification.alert, in: catalog, for: locale, at: now) else {
            return .unreadable
        }
        phones[delivery.phoneIndex].show(
            PhoneNotification(
                apnsID: delivery.apnsID,
                collapseID: collapseID,
                threadID: notification.threadID,
                interruptionLevel: notification.interruptionLevel,
                relevanceScore: notification.relevanceScore,
                alert: alert
            )
        )
        return .shown
    }
}
