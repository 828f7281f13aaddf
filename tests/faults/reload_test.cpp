// SPDX-License-Identifier: Apache-2.0
// The layer's library loaded and unloaded again and again, as a loader does it for each instance of an application.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/faults/command_attempt.h"

namespace trellis::test {
namespace {

// While it exists, tests see the layer of the library instead of the one that is linked to them.
class LoadedLayer {
 public:
  LoadedLayer() : library_(dlopen(TRELLIS_LAYER_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
    if (library_)
      NegotiateThrough(reinterpret_cast<PFN_vkNegotiateLoaderLayerInterfaceVersion>(
          dlsym(library_, "vkNegotiateLoaderLayerInterfaceVersion")));
  }
  ~LoadedLayer() {
    NegotiateThrough(nullptr);
    if (library_) dlclose(library_);
  }
  LoadedLayer(const LoadedLayer&) = delete;
  LoadedLayer& operator=(const LoadedLayer&) = delete;

  [[nodiscard]] static bool IsThere() {
    void* library = dlopen(TRELLIS_LAYER_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    if (library) dlclose(library);
    return library != nullptr;
  }

 private:
  void* const library_;
};

// From the instance to the submission of a graph, on four threads.
class WholeLife : public CommandAttempt {
 public:
  WholeLife() : CommandAttempt(4) {}

  VkResult Run() override {
    const VkExecutionGraphPipelineCreateInfoAMDX info = parts().GraphInfo();
    const VkResult created =
        TRELLIS_CALL(*device_, CreateExecutionGraphPipelinesAMDX)(handle(), VK_NULL_HANDLE, 1, &info, nullptr, &graph_);
    if (created != VK_SUCCESS) return created;
    const VkResult recorded = Record();
    return recorded == VK_SUCCESS ? Submit(MakeQueue()) : recorded;
  }
  void Release() override {}

 private:
  void Dispatch() override {
    const OnePayload payload;
    TRELLIS_CALL(*device_, CmdDispatchGraphAMDX)(command_buffer(), scratch(), Scratch::kBytes, &payload.counts);
  }
};

// Allocations that the layer has made while it is in use.
int64_t LiveOnce() {
  const LoadedLayer layer;
  EXPECT_TRUE(LoadedLayer::IsThere()) << dlerror();
  WholeLife life;
  EXPECT_EQ(life.Run(), VK_SUCCESS);
  return LiveAllocations();
}

TEST(LayerReload, NothingIsLeft) {
  ASSERT_FALSE(LoadedLayer::IsThere());
  LiveOnce();  // so that all that is made once in a process is there
  const int64_t live = LiveAllocations();
  for (int round = 0; round < 100 && !HasFailure(); ++round) {
    EXPECT_GT(LiveOnce(), live + 100) << "the layer's allocations are not counted";
    ASSERT_FALSE(LoadedLayer::IsThere()) << "the library was not unloaded";
    EXPECT_EQ(LiveAllocations(), live) << "memory is lost";
  }
}

}  // namespace
}  // namespace trellis::test
