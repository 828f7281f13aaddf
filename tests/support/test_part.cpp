#include "tests/support/test_part.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace trellis::test {
namespace {

uint32_t NumberFromEnvironment(const char* name, uint32_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return otherwise;
  uint32_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [stopped, error] = std::from_chars(text, end, number);
  if (error == std::errc() && stopped == end) return number;
  std::fprintf(stderr, "%s is '%s', which is no number\n", name, text);
  std::exit(2);
}

}  // namespace

TestPart TestPartFromEnvironment(const char* count_variable) {
  const char* const part = std::getenv("TRELLIS_TEST_PART");
  if (part != nullptr && std::strcmp(part, "all") == 0) return {};
  return {NumberFromEnvironment("TRELLIS_TEST_PART", 0), NumberFromEnvironment(count_variable, 1)};
}

void SelectTestPart() {
  const TestPart part = TestPartFromEnvironment("TRELLIS_TEST_PARTS");
  if (part.count < 2) return;
  const uint32_t index = part.number % part.count;
  std::printf("part %u of %u; again with TRELLIS_TEST_PARTS=%u TRELLIS_TEST_PART=%u\n", index + 1, part.count,
              part.count, index);
  setenv("GTEST_TOTAL_SHARDS", std::to_string(part.count).c_str(), 1);
  setenv("GTEST_SHARD_INDEX", std::to_string(index).c_str(), 1);
}

}  // namespace trellis::test
