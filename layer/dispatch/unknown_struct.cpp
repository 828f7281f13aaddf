#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

constexpr size_t kPageSize = 4096;  // or a multiple of it

// Reads past the end of the object, which sanitizers do not like. Within a page that is harmless.
__attribute__((no_sanitize_address, no_sanitize_thread)) void ReadWithinPage(const volatile uint8_t* from, uint8_t* to,
                                                                             size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] = from[i];
}

// Lets the system read, which fails where a read by this process would fault. Processes may lack the right to
// process_vm_readv; pipes they have.
class ReadingPipe {
 public:
  ReadingPipe() : open_(pipe2(ends_, O_CLOEXEC | O_NONBLOCK) == 0) {}
  ~ReadingPipe() {
    if (!open_) return;
    close(ends_[0]);
    close(ends_[1]);
  }
  ReadingPipe(const ReadingPipe&) = delete;
  ReadingPipe& operator=(const ReadingPipe&) = delete;

  // Copies bytes of one page, which fit into an empty pipe. Leaves `to` as it is where they are not readable. Returns
  // false if that could not be found out.
  [[nodiscard]] bool Copy(const uint8_t* from, uint8_t* to, size_t bytes) const {
    if (!open_) return false;
    // Not write(): sanitizers check what that is given.
    const long written = syscall(SYS_write, ends_[1], from, bytes);
    if (written < 0) return errno == EFAULT;
    return static_cast<size_t>(written) == bytes && read(ends_[0], to, bytes) == written;
  }

 private:
  int ends_[2] = {-1, -1};
  const bool open_;
};

}  // namespace

VkBaseOutStructure* CopyUnknownStruct(const VkBaseInStructure& source, Arena& arena) {
  static_assert(kMaxUnknownStructSize <= kPageSize, "or it may lie in three pages");
  const auto* from = reinterpret_cast<const uint8_t*>(&source);
  auto* to = static_cast<uint8_t*>(arena.Allocate(kMaxUnknownStructSize));
  const size_t left_in_page = kPageSize - reinterpret_cast<uintptr_t>(from) % kPageSize;
  const size_t first = std::min(kMaxUnknownStructSize, left_in_page);
  ReadWithinPage(from, to, first);
  std::fill(to + first, to + kMaxUnknownStructSize, uint8_t{0});
  if (first < kMaxUnknownStructSize && !ReadingPipe().Copy(from + first, to + first, kMaxUnknownStructSize - first))
    ReportCutStruct(source.sType);
  return reinterpret_cast<VkBaseOutStructure*>(to);
}

}  // namespace trellis
