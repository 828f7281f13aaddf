#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays a RenderDoc capture, without a display, and prints what it finds as JSON.

usage: replay.py CAPTURE

    dispatches: [labels around it, outermost first; whether it is indirect; workgroups, which the GPU wrote where it is indirect]
    buffers:    words of each small buffer after the last event
"""

import json
import struct
import sys

import renderdoc

SMALL = 256  # bytes


def checked(result):
    if result != renderdoc.ResultCode.Succeeded:
        sys.exit(f"{result}")


def dispatches_below(actions, labels, structure):
    for action in actions:
        if action.flags & renderdoc.ActionFlags.Dispatch:
            yield labels, bool(action.flags & renderdoc.ActionFlags.Indirect), list(action.dispatchDimension)
        yield from dispatches_below(action.children, labels + [action.GetName(structure)], structure)


def words_of_small_buffers(controller):
    controller.SetFrameEvent(controller.GetRootActions()[-1].eventId, True)
    for buffer in controller.GetBuffers():
        if buffer.length <= SMALL and buffer.length % 4 == 0:
            data = controller.GetBufferData(buffer.resourceId, 0, buffer.length)
            yield list(struct.unpack(f"<{len(data) // 4}I", data))


def main():
    renderdoc.InitialiseReplay(renderdoc.GlobalEnvironment(), [])
    file = renderdoc.OpenCaptureFile()
    checked(file.OpenFile(sys.argv[1], "", None))
    result, controller = file.OpenCapture(renderdoc.ReplayOptions(), None)
    checked(result)
    dispatches = list(dispatches_below(controller.GetRootActions(), [], controller.GetStructuredFile()))
    print(json.dumps({"dispatches": dispatches, "buffers": list(words_of_small_buffers(controller))}))
    controller.Shutdown()
    file.Shutdown()
    renderdoc.ShutdownReplay()


if __name__ == "__main__":
    main()
