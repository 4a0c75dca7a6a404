// SPDX-License-Identifier: Apache-2.0

/// The version that receivers are told in `User-Agent`.
public enum FeedVersion {
    /// As `countertop --version` says it.
    public static let text = "0.1.0"
}
