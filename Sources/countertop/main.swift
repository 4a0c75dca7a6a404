// SPDX-License-Identifier: Apache-2.0

internal import CountertopCommands

await CountertopTool.main()
