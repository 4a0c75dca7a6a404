// SPDX-License-Identifier: Apache-2.0

// Apple's module brings Foundation with it, and published listings import nothing else.
@_exported public import Foundation
