// SPDX-License-Identifier: Apache-2.0
// Setting `dump_dir`: the files, and that `trellis lower` makes the same of them as the layer did.
#include "layer/pipeline/dump_shaders.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "layer/objects/instance.h"
#include "layer/objects/registry.h"
#include "tests/pipeline/creation_fixture.h"
#include "tests/support/basic_modules.h"
#include "tools/platform/platform.h"
#include "tools/trellis/files.h"

namespace trellis::test {
namespace {

namespace fs = std::filesystem;

class DumpShaders : public GraphCreation {
 protected:
  DumpShaders() { settings_.dump_dir = folder_.path().string(); }

  // Makes libraries of nodes of each launch kind, and of one whose grid is a specialisation constant.
  void CreateNodes() {
    NodeAsm m;
    m.BeginNode({.name = "Special", .launch = Launch::kStaticGrid, .grid = {m.SpecConstant(1, 4), 1, 1}});
    m.AddWord(m.StorageBuffer(0), 0, 1);
    m.EndNode();
    const uint32_t sides = 7;
    const VkSpecializationMapEntry entry = {1, 0, sizeof(sides)};
    const VkSpecializationInfo constants = {1, &entry, sizeof(sides), &sides};
    const VkShaderModule chain = MakeModule(Assemble(ChainModule(Shape::kDxc)));
    std::vector<VkPipelineShaderStageCreateInfo> stages = {Stage(chain, "Source"), Stage(chain, "Grid"),
                                                           Stage(chain, "Sum"),
                                                           Stage(MakeModule(Assemble(m.Text())), "Special")};
    stages.back().pSpecializationInfo = &constants;
    auto info = GraphInfo(stages, MakeLayout(16));
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    Make(info);
  }

  // Returns how many shaders were lowered again.
  int CompareWithProgram() {
    int compared = 0;
    for (const fs::directory_entry& file : fs::directory_iterator(folder_.path())) {
      const std::string options = file.path().string();
      if (file.path().extension() != ".options") continue;
      const std::string stem = options.substr(0, options.size() - std::string("_lowered.options").size());
      const Expected<tool::ProgramResult> run = tool::RunProgram(
          {TRELLIS_PROGRAM, "lower", stem + "_original.spv", "--options", options, "-o", stem + "_again.spv"});
      EXPECT_TRUE(run && run->exit_code == 0) << (run ? run->output : run.error().message);
      const Expected<std::string> text = tool::ReadText(options);
      const Expected<std::vector<uint32_t>> lowered = tool::ReadWords(stem + "_lowered.spv");
      const Expected<std::vector<uint32_t>> again = tool::ReadWords(stem + "_again.spv");
      EXPECT_TRUE(text && lowered && again && *lowered == *again) << stem << "\n" << (text ? *text : "");
      ++compared;
    }
    return compared;
  }

  tool::TemporaryFolder folder_;
  Settings& settings_ = FindDevice(device_.handle())->instance->settings;
};

TEST_F(DumpShaders, TheProgramMakesTheSameWords) {
  CreateNodes();
  EXPECT_EQ(CompareWithProgram(), 4);
}

TEST_F(DumpShaders, TheProgramMakesTheSameWordsForOtherSettings) {
  settings_.shader_target = ShaderTarget::kCpu;
  settings_.aggregation = Aggregation::kWorkgroup;
  settings_.validate = true;
  settings_.optimize = true;
  CreateNodes();
  EXPECT_EQ(CompareWithProgram(), 4);
}

TEST_F(DumpShaders, NothingIsWrittenWithoutTheSetting) {
  settings_.dump_dir.clear();
  CreateNodes();
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace trellis::test
