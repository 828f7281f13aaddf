// SPDX-License-Identifier: Apache-2.0
// dump_modules FOLDER: writes the basic node modules as assembly text, in both shapes, for trying the lowering by hand.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/support/basic_modules.h"

int main(int argc, char** argv) {
  using trellis::test::Shape;
  if (argc != 2) {
    std::fprintf(stderr, "usage: dump_modules FOLDER\n");
    return 2;
  }
  for (const auto& module : trellis::test::BasicModules()) {
    for (const Shape shape : {Shape::kDxc, Shape::kDirect}) {
      const std::string path =
          std::string(argv[1]) + "/" + module.name + (shape == Shape::kDxc ? "_dxc" : "_direct") + ".spvasm";
      std::ofstream file(path);
      file << module.text(shape);
      if (!file) {
        std::fprintf(stderr, "cannot write %s\n", path.c_str());
        return 1;
      }
    }
  }
  return 0;
}
