// SPDX-License-Identifier: Apache-2.0
// make_seeds FOLDER FILE.spvasm...: the modules that fuzzing of the lowering begins with, as binaries.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "spirv_lowering/post/post.h"
#include "tests/spirv_lowering/node_samples.h"
#include "tests/support/basic_modules.h"

namespace {

namespace fs = std::filesystem;

bool WriteSeed(const fs::path& folder, const std::string& name, const std::string& text) {
  const trellis::Expected<std::vector<uint32_t>> words = trellis::spirv::Assemble(text);
  if (!words) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), words.error().message.c_str());
    return false;
  }
  std::ofstream file(folder / (name + ".spv"), std::ios::binary);
  file.write(reinterpret_cast<const char*>(words->data()),
             static_cast<std::streamsize>(words->size() * sizeof(uint32_t)));
  return file.good();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: make_seeds FOLDER FILE.spvasm...\n");
    return 2;
  }
  const fs::path folder = argv[1];
  fs::create_directories(folder);
  bool fine = true;
  for (const trellis::spirv::NodeSample& sample : trellis::spirv::NodeSamples())
    fine &= WriteSeed(folder, "sample_" + sample.name, sample.text);
  for (const trellis::test::NamedModule& module : trellis::test::BasicModules()) {
    fine &= WriteSeed(folder, std::string("dxc_") + module.name, module.text(trellis::test::Shape::kDxc));
    fine &= WriteSeed(folder, std::string("direct_") + module.name, module.text(trellis::test::Shape::kDirect));
  }
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i]);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    fine &= WriteSeed(folder, "corpus_" + fs::path(argv[i]).stem().string(), text);
  }
  return fine ? 0 : 1;
}
