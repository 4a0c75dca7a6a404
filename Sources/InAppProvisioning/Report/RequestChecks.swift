// SPDX-License-Identifier: Apache-2.0

/// Group R, and those of C that every flow shows.
enum RequestChecks {
    /// Judges request and answer; gives the blobs of the answer, if it has them.
    static func judge(_ flow: RecordedFlow, _ findings: inout Findings) -> ReceivedAnswer? {
        judgeRequest(flow, &findings)
        judgeTime(flow, &findings)
        if let failure = flow.transportFailure {
            findings.violate(.answered, failure)
            findings.skip([.answerShape], "no answer")
            return nil
        }
        guard let received = flow.received else { return nil }
        guard (200..<300).contains(received.status) else {
            findings.violate(.answered, "status \(received.status)")
            findings.skip([.answerShape, .twoCertificates, .criticalMarker], "status \(received.status)")
            return nil
        }
        findings.pass(.answered, "status \(received.status)")
        guard let profile = flow.profile else { return nil }
        do throws(ProvisioningError) {
            let answer = try profile.decodeAnswer(received.body, network: flow.sheet?.network)
            findings.pass(.answerShape)
            judgeChain(flow, &findings)
            return answer
        } catch {
            findings.violate(.answerShape, error.description)
            return nil
        }
    }

    private static func judgeRequest(_ flow: RecordedFlow, _ findings: inout Findings) {
        findings.expect(
            !flow.earlierNonces.contains(flow.request.nonce), .notReused, "an earlier flow had this nonce")
        guard let profile = flow.profile, let sent = flow.sent else { return }
        do throws(ProvisioningError) {
            let seen = try profile.decode(sent).request
            findings.pass(.requestReadable)
            let leafOnly = profile.certificates.form == .leaf
            let expected = leafOnly ? Array(flow.request.certificates.prefix(1)) : flow.request.certificates
            findings.expect(
                seen.certificates == expected || seen.certificates == flow.request.certificates, .certificatesSent,
                "\(seen.certificates.count) of \(expected.count) certificates, or changed ones")
            findings.expect(
                seen.nonce == flow.request.nonce, .nonceSent,
                "\(seen.nonce.count) bytes instead of \(flow.request.nonce.count), or changed ones")
            findings.expect(
                seen.nonceSignature == flow.request.nonceSignature, .signatureSent,
                "\(seen.nonceSignature.count) bytes instead of \(flow.request.nonceSignature.count), or changed ones")
        } catch {
            findings.violate(.requestReadable, error.description)
            findings.skip([.certificatesSent, .nonceSent, .signatureSent], "the request cannot be read")
        }
    }

    private static func judgeTime(_ flow: RecordedFlow, _ findings: inout Findings) {
        guard let seconds = flow.seconds else { return }
        let text = "after \(HandlerChecks.seconds(seconds)) of \(HandlerChecks.seconds(flow.limit))"
        if seconds > flow.limit {
            findings.violate(.backEndInTime, text)
            findings.skip([.fast], text)
        } else {
            findings.pass(.backEndInTime, text)
            findings.expect(seconds <= flow.limit / 2, .fast, text)
        }
    }

    /// A flow that was answered shows that its chain was accepted.
    private static func judgeChain(_ flow: RecordedFlow, _ findings: inout Findings) {
        findings.pass(flow.request.certificates.count == 3 ? .threeCertificates : .twoCertificates, "answered")
        let leaf = IssuerChain(roots: []).validate(flow.request.certificates, at: flow.date)
        if leaf.leaf != nil, !leaf.findings.contains(where: { $0.code == .markerNotCritical }) {
            findings.pass(.criticalMarker, "answered")
        }
    }
}
