// SPDX-License-Identifier: Apache-2.0
#include "tests/support/command_stream.h"

#include <sstream>

#include "layer/objects/handle_table.h"

namespace trellis::test {
namespace {

void DescribeOne(std::ostringstream& text, const Command& command) {
  text << std::hex;
  switch (command.kind) {
    case Command::Kind::kBindPipeline:
      text << "bind pipeline " << HandleToU64(command.pipeline);
      break;
    case Command::Kind::kBindSets:
      text << "bind " << command.sets.size() << " sets from " << command.first << " with layout "
           << HandleToU64(command.layout);
      break;
    case Command::Kind::kPushConstants:
      text << "push " << std::dec << command.bytes.size() << " bytes at " << command.first;
      break;
    case Command::Kind::kDispatch:
      text << std::dec << "dispatch " << command.x << ' ' << command.y << ' ' << command.z;
      break;
    case Command::Kind::kDispatchIndirect:
      text << std::dec << "dispatch indirect at " << command.offset;
      break;
    case Command::Kind::kDraw:
      text << std::dec << "draw " << command.x << ' ' << command.y << ' ' << command.z;
      break;
    case Command::Kind::kDrawIndirect:
      text << std::dec << "draw indirect at " << command.offset;
      break;
    case Command::Kind::kBarrier:
      text << "barrier stages " << command.source_stages << " -> " << command.destination_stages << ", access "
           << command.source_access << " -> " << command.destination_access;
      break;
    case Command::Kind::kBeginConditional:
      text << "begin conditional rendering";
      break;
    case Command::Kind::kEndConditional:
      text << "end conditional rendering";
      break;
    case Command::Kind::kBeginInstance:
      text << "begin a render pass instance";
      break;
    case Command::Kind::kEndInstance:
      text << "end a render pass instance";
      break;
    case Command::Kind::kBeginLabel:
      text << "{ " << command.label;
      break;
    case Command::Kind::kEndLabel:
      text << "}";
      break;
  }
}

}  // namespace

CommandStream Without(const CommandStream& stream, size_t index) {
  CommandStream result = stream;
  result.erase(result.begin() + static_cast<std::ptrdiff_t>(index));
  return result;
}

std::vector<size_t> PositionsOf(const CommandStream& stream, Command::Kind kind) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < stream.size(); ++i)
    if (stream[i].kind == kind) positions.push_back(i);
  return positions;
}

std::string Describe(const CommandStream& stream) {
  std::ostringstream text;
  for (size_t i = 0; i < stream.size(); ++i) {
    text << std::dec << i << ": ";
    DescribeOne(text, stream[i]);
    text << '\n';
  }
  return text.str();
}

}  // namespace trellis::test
