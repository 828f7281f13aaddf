// SPDX-License-Identifier: Apache-2.0
#include "layer/diagnostics/exception.h"

#include <exception>
#include <new>
#include <string>

namespace trellis {

namespace {

void ReportDefect(Diagnostics& diagnostics, std::string_view where, const char* what) noexcept {
  try {
    diagnostics.Error(
        "TRELLIS-internal-error",
        std::string(where) + ": unexpected exception: " + what +
            ". Unless a messenger callback or a layer below threw it, this is a defect of Trellis: report it "
            "with this message");
  } catch (...) {
    // The message finds no memory, or a callback throws: the result tells of the exception alone.
  }
}

}  // namespace

VkResult HandleException(Diagnostics& diagnostics, std::string_view where) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  } catch (const std::exception& exception) {
    ReportDefect(diagnostics, where, exception.what());
  } catch (...) {
    ReportDefect(diagnostics, where, "of a type that is not a std::exception");
  }
  return VK_ERROR_UNKNOWN;
}

}  // namespace trellis
