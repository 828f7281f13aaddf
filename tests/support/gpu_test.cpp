// SPDX-License-Identifier: Apache-2.0
#include "tests/support/gpu_test.h"

namespace trellis::test {

void ReportUnexpectedMessages(const Context& context) {
  for (const Message& message : context.messages.Unexpected()) ADD_FAILURE() << message.id << ": " << message.text;
}

void GpuTest::SetUp() {
  Context* context = SharedContext();
  ASSERT_NE(context, nullptr) << SharedContextError();
  context->messages.Clear();
}

void GpuTest::TearDown() {
  if (SharedContext() != nullptr) ReportUnexpectedMessages(*SharedContext());
}

}  // namespace trellis::test
