// SPDX-License-Identifier: Apache-2.0
// Runs the program: exit codes, files, messages.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "spirv_lowering/post/post.h"
#include "tests/rules/broken_modules.h"
#include "tools/trellis/files.h"
#include "tools/trellis/glslang.h"

namespace trellis::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNode =
    "#version 460\n"
    "#extension GL_GOOGLE_include_directive : require\n"
    "#include \"trellis/node_payload.glsl\"\n"
    "#include \"item.glsl\"\n"
    "layout(local_size_x = GROUP) in;\n"
    "NODE_INPUTS(Item, items, GROUP);\n"
    "NODE_OUTPUT(Item, Work, \"worker\", GROUP);\n"
    "void main() {\n"
    "  Work w = Work_thread(1);\n"
    "  w.at[0].value = items[0].value;\n"
    "  node_enqueue(w);\n"
    "}\n";

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(folder_.path().empty());
    ASSERT_EQ(setenv("TRELLIS_GLSLANG", TRELLIS_GLSLANG, 1), 0);
    fs::create_directory(Path("include"));
    Put("node.comp", kNode);
    Put("include/item.glsl", "struct Item { uint value; };\n");
  }

  [[nodiscard]] std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  void Put(const std::string& name, const std::string& text) const { ASSERT_TRUE(WriteText(Path(name), text)); }
  ProgramResult Run(std::vector<std::string> words) const {
    words.insert(words.begin(), TRELLIS_PROGRAM);
    Expected<ProgramResult> result = RunProgram(words);
    EXPECT_TRUE(result);
    if (!result) return {};
    EXPECT_EQ(result->signal, 0) << result->output;
    return *std::move(result);
  }
  ProgramResult Compile(std::vector<std::string> more) const {
    std::vector<std::string> words = {"compile", Path("node.comp"), "-I" + Path("include"), "-DGROUP=4"};
    words.insert(words.end(), more.begin(), more.end());
    return Run(words);
  }
  std::string CompiledNode() const {
    const ProgramResult compiled = Compile({"-o", Path("node.spv")});
    EXPECT_EQ(compiled.exit_code, 0) << compiled.output;
    return Path("node.spv");
  }
  // One line on the terminal, and nothing else.
  static void ExpectOneLine(const ProgramResult& result, const std::string& part) {
    EXPECT_NE(result.output.find(part), std::string::npos) << result.output;
    EXPECT_EQ(result.output.find('\n'), result.output.size() - 1) << result.output;
  }
  static void ExpectRefusal(const ProgramResult& result, const std::string& message) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.output, "trellis: " + message + "\n");
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(Cli, EveryVerbHasHelpWithAnExample) {
  for (const char* verb : {"compile", "validate", "reflect", "lower", "disassemble", "doctor"}) {
    const ProgramResult help = Run({verb, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.output.find(std::string("usage: trellis ") + verb), std::string::npos) << help.output;
    EXPECT_NE(help.output.find(std::string("example: trellis ") + verb), std::string::npos) << help.output;
    EXPECT_NE(help.output.find("exit status: 0"), std::string::npos) << help.output;
  }
  EXPECT_EQ(Run({"--help"}).exit_code, 0);
  EXPECT_EQ(Run({"--version"}).exit_code, 0);
}

TEST_F(Cli, WrongCommandLinesExitWith2) {
  EXPECT_EQ(Run({}).exit_code, 2);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"frobnicate"},
                                             {"compile"},
                                             {"compile", "--what", "a.comp"},
                                             {"compile", "a.comp", "b.comp", "-M", "x.d"},
                                             {"compile", "a.comp", "-e", "x", "-e", "y"},
                                             {"validate"},
                                             {"reflect"},
                                             {"reflect", "a.spv", "b.spv"},
                                             {"reflect", "a.spv", "--spec", "nonsense"},
                                             {"lower", "a.spv"},
                                             {"lower", "a.spv", "-o", "b.spv", "--option", "for_cpu"},
                                             {"lower", "a.spv", "-o", "b.spv", "--option", "nonsense=1"},
                                             {"disassemble"}}) {
    const ProgramResult result = Run(words);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    ExpectOneLine(result, "--help'");
  }
}

TEST_F(Cli, MissingAndBrokenFilesExitWith1) {
  Put("text.spv", "this is no SPIR-V at all");
  Put("odd.spv", "abc");
  for (const char* file : {"missing.spv", "text.spv", "odd.spv", "include"}) {
    for (const char* verb : {"validate", "reflect", "disassemble"}) {
      const ProgramResult result = Run({verb, Path(file)});
      EXPECT_EQ(result.exit_code, 1) << verb << " " << file;
      ExpectOneLine(result, std::string("trellis: ") + Path(file));
    }
  }
}

TEST_F(Cli, FilesThatAreNoModulesAreToldWhatToDo) {
  Put("node.glsl", kNode);
  Expected<std::string> module = ReadText(CompiledNode());
  ASSERT_TRUE(module);
  Put("short.spv", module->substr(0, 301));
  Put("cut.spv", module->substr(0, 300));
  for (const char* verb : {"validate", "reflect", "disassemble"}) {
    ExpectRefusal(Run({verb, Path("node.glsl")}),
                  Path("node.glsl") + ": is not a SPIR-V module; 'trellis compile' makes modules of nodes in GLSL");
    ExpectRefusal(Run({verb, Path("short.spv")}),
                  Path("short.spv") +
                      ": is a SPIR-V module that was cut short: it has 301 bytes, which is no multiple "
                      "of 4; make the file again");
    const ProgramResult cut = Run({verb, Path("cut.spv")});
    EXPECT_EQ(cut.exit_code, 1) << cut.output;
    ExpectOneLine(cut, "; the file was cut short: make it again\n");
  }
}

TEST_F(Cli, SourcesThatCannotBeCompiledAreToldWhatToDo) {
  Put("node.hlsl", kNode);
  Put("node.glsl", kNode);
  Put("node.vert", kNode);
  const auto expect = [&](const std::string& name, const std::string& message) {
    ExpectRefusal(Run({"compile", Path(name), "-o", Path("x.spv")}), Path(name) + ": " + message);
  };
  expect("node.hlsl",
         "HLSL is not compiled here: let DXC make SPIR-V of it (-spirv) and check that with 'trellis validate', or "
         "write the node in GLSL");
  for (const char* name : {"node.glsl", "node.vert"}) {
    expect(name,
           "the name does not tell whether it is a compute or a mesh shader: name it .comp or .mesh, or add -S comp or "
           "-S mesh");
  }
  expect("missing.comp", "No such file or directory");
  expect("include", "is a folder");
  CompiledNode();
  expect("node.spv",
         "is a SPIR-V module, not GLSL: nothing is left to compile; 'trellis validate' checks it and 'trellis reflect' "
         "describes it");
  EXPECT_FALSE(fs::exists(Path("x.spv")));
  const ProgramResult staged =
      Run({"compile", Path("node.glsl"), "-S", "comp", "-I" + Path("include"), "-DGROUP=4", "-o", Path("staged.spv")});
  EXPECT_EQ(staged.exit_code, 0) << staged.output;
  Put("node.comp.glsl", kNode);
  const ProgramResult named =
      Run({"compile", Path("node.comp.glsl"), "-I" + Path("include"), "-DGROUP=4", "-o", Path("named.spv")});
  EXPECT_EQ(named.exit_code, 0) << named.output;
}

TEST_F(Cli, APlainComputeShaderIsWarnedOf) {
  Put("plain.comp", "#version 460\nlayout(local_size_x = 4) in;\nvoid main() {}\n");
  const ProgramResult plain = Run({"compile", Path("plain.comp"), "-o", Path("plain.spv")});
  EXPECT_EQ(plain.exit_code, 0);
  EXPECT_EQ(plain.output,
            Path("plain.comp") +
                ": warning: uses nothing of trellis/node_payload.glsl, so it is an ordinary shader: as a node "
                "it enqueues nothing, and its payload is one uvec3, its grid. Include the header and declare what else "
                "it is: NODE_INPUT, NODE_INPUTS, NODE_STATIC_GRID, NODE_OUTPUT\n");
  EXPECT_EQ(Compile({"-o", Path("node.spv")}).output, "");
}

TEST_F(Cli, AnAllocationThatNotAllInvocationsReachIsWarnedOf) {
  std::string node = kNode;
  node.replace(node.find("Work w = Work_thread(1);"), 24,
               "if (gl_LocalInvocationIndex > 0) return;\nWork w = Work_group(1);");
  Put("node.comp", node);
  const ProgramResult compiled = Compile({"-o", Path("node.spv")});
  EXPECT_EQ(compiled.exit_code, 0);
  ExpectOneLine(
      compiled,
      "node.comp:10: warning: [OpAllocateNodePayloadsAMDX/uniform-control-flow] payloads of 'Work' for node "
      "'worker' are allocated for the workgroup, but some of its invocations may not get here: the branch at ");
  ExpectOneLine(compiled,
                "node.comp:9, behind which some of them may return, depends on LocalInvocationIndex; allocate outside "
                "of it, or for each invocation with _thread (entry point 'main', %");
  EXPECT_TRUE(fs::exists(Path("node.spv")));
  const ProgramResult validated = Run({"validate", Path("node.spv")});
  EXPECT_EQ(validated.exit_code, 0);
  ExpectOneLine(validated, "node.spv: warning: [OpAllocateNodePayloadsAMDX/uniform-control-flow]");
  EXPECT_EQ(Run({"validate", "--strict", Path("node.spv")}).exit_code, 1);
}

TEST_F(Cli, UnknownNodesAreToldWhichThereAre) {
  const std::string one = CompiledNode();
  ExpectRefusal(Run({"reflect", one, "--entry", "nope"}), one + ": there is no node 'nope'; the only one is 'main'");
  const std::string both = Path("both.spv");
  ASSERT_EQ(Run({"compile", Path("node.comp"), Path("node.comp"), "-e", "first", "-e", "second", "-I" + Path("include"),
                 "-DGROUP=4", "-o", both})
                .exit_code,
            0);
  ExpectRefusal(Run({"reflect", both, "--entry", "nope"}),
                both + ": there is no node 'nope'; there are 'first' and 'second'");
  ExpectRefusal(Run({"lower", both, "-o", Path("x.spv"), "--entry", "nope"}),
                both + ": there is no node 'nope'; there are 'first' and 'second'");
}

TEST_F(Cli, MisspeltWordsAreToldTheNearest) {
  const auto expect = [&](std::vector<std::string> words, const std::string& message) {
    const ProgramResult result = Run(std::move(words));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.output, message + "\n");
  };
  expect({"complie", "a.comp"}, "trellis: there is no verb 'complie': did you mean 'compile'? (see 'trellis --help')");
  expect({"dis"}, "trellis: there is no verb 'dis': did you mean 'disassemble'? (see 'trellis --help')");
  expect({"frobnicate"},
         "trellis: there is no verb 'frobnicate'; the verbs are 'compile', 'validate', 'reflect', 'lower', "
         "'disassemble', 'doctor' and 'report' (see 'trellis --help')");
  expect({"validate", "--strct", "a.spv"},
         "trellis validate: unknown option '--strct': did you mean '--strict'? (see 'trellis validate --help')");
  expect({"validate", "--quux", "a.spv"}, "trellis validate: unknown option '--quux' (see 'trellis validate --help')");
  expect({"compile", "a.comp", "-S", "vert"},
         "trellis compile: -S takes comp or mesh, not 'vert' (see 'trellis compile --help')");
  expect({"compile", "a.comp", "-e", "x", "-e", "y"},
         "trellis compile: -e is given 2 times, but there is 1 input: the n-th name is for the n-th of them (see "
         "'trellis compile --help')");
  expect({"compile", "a/cull.comp", "a/draw.comp", "-o", "x.spv"},
         "trellis compile: two inputs have the entry point 'main', and -o makes one module of them: name each with -e, "
         "as in 'trellis compile cull.comp draw.comp -e cull -e draw -o OUTPUT' (see 'trellis compile --help')");
}

TEST_F(Cli, CompileValidateReflectLowerDisassemble) {
  const std::string node = CompiledNode();
  EXPECT_EQ(Run({"validate", "--strict", node}).output, "");
  const ProgramResult reflected = Run({"reflect", node, "--json"});
  ASSERT_EQ(reflected.exit_code, 0) << reflected.output;
  const nlohmann::json nodes = nlohmann::json::parse(reflected.output);
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0]["launch"], "coalescing");
  EXPECT_EQ(nodes[0]["coalesce"], 4);
  EXPECT_EQ(nodes[0]["outputs"][0]["node"], "worker");
  EXPECT_EQ(nodes[0]["outputs"][0]["max_payloads"], 4);
  EXPECT_EQ(nodes[0]["input_size"], 4);

  const ProgramResult lowered = Run({"lower", node, "-o", Path("lowered.spv")});
  ASSERT_EQ(lowered.exit_code, 0) << lowered.output;
  EXPECT_NE(lowered.output.find("coalescing, up to 4 payload(s)"), std::string::npos) << lowered.output;
  Expected<std::vector<uint32_t>> words = ReadWords(Path("lowered.spv"));
  ASSERT_TRUE(words);
  const Expected<void> valid = spirv::Validate(*words);
  EXPECT_TRUE(valid) << valid.error().message;

  ExpectRefusal(Run({"lower", node, "-o", Path("x.spv"), "--option", "launch_offset=4"}),
                node + ": node 'main': no launch address fits at byte 4 of push constants that end at 0");
  const ProgramResult untrue = Run({"lower", node, "-o", Path("x.spv"), "--option", "for_cpu=2"});
  EXPECT_NE(untrue.exit_code, 0);
  EXPECT_NE(untrue.output.find("'for_cpu=2' is not a known KEY=VALUE"), std::string::npos) << untrue.output;
  ExpectRefusal(Run({"lower", node, "-o", Path("x.spv"), "--option", "packed=0"}),
                node + ": packed=0: node 'main' allows 1 to 32");

  const ProgramResult text = Run({"disassemble", node});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.output.find("OpEnqueueNodePayloadsAMDX"), std::string::npos);
}

TEST_F(Cli, MeshNode) {
  Put("draw.mesh",
      "#version 460\n#extension GL_GOOGLE_include_directive : require\n#extension GL_EXT_mesh_shader : require\n"
      "#include \"trellis/node_payload.glsl\"\n#include \"item.glsl\"\nlayout(local_size_x = 3) in;\n"
      "layout(triangles, max_vertices = 3, max_primitives = 1) out;\nreadonly NODE_INPUT(Item, item);\n"
      "NODE_STATIC_GRID(1, 1, 1);\nvoid main() {\n  SetMeshOutputsEXT(3, 1);\n"
      "  gl_MeshVerticesEXT[gl_LocalInvocationIndex].gl_Position = vec4(item.value);\n}\n");
  const std::string node = Path("draw.spv");
  const ProgramResult compiled = Run({"compile", Path("draw.mesh"), "-I" + Path("include"), "-o", node});
  ASSERT_EQ(compiled.exit_code, 0) << compiled.output;
  EXPECT_EQ(compiled.output, "");
  EXPECT_EQ(Run({"validate", "--strict", node}).output, "");
  const ProgramResult reflected = Run({"reflect", node, "--json"});
  ASSERT_EQ(reflected.exit_code, 0) << reflected.output;
  EXPECT_EQ(nlohmann::json::parse(reflected.output)[0]["stage"], "mesh");
  for (const bool subgroup : {false, true}) {
    std::vector<std::string> words = {"lower", node, "-o", Path("lowered.spv")};
    if (subgroup) words.insert(words.end(), {"--option", "mesh_subgroup_search=1"});
    const ProgramResult lowered = Run(words);
    ASSERT_EQ(lowered.exit_code, 0) << lowered.output;
    EXPECT_TRUE(lowered.output.starts_with("node 'main', shader index 0, mesh\n")) << lowered.output;
    Expected<std::vector<uint32_t>> result = ReadWords(Path("lowered.spv"));
    ASSERT_TRUE(result);
    const Expected<void> valid = spirv::Validate(*result);
    EXPECT_TRUE(valid) << valid.error().message;
    const std::string text = *spirv::Disassemble(*result);
    EXPECT_NE(text.find("OpEntryPoint MeshEXT"), std::string::npos) << text;
    EXPECT_EQ(text.find("GroupNonUniformBallot") != std::string::npos, subgroup);
  }
}

TEST_F(Cli, OutputNextToTheSourceWithoutDashO) {
  EXPECT_EQ(Compile({}).exit_code, 0);
  EXPECT_TRUE(fs::exists(Path("node.comp.spv")));
}

TEST_F(Cli, SeveralInputsBecomeOneModule) {
  const ProgramResult compiled = Run({"compile", Path("node.comp"), Path("node.comp"), "-e", "first", "-e", "second",
                                      "-I" + Path("include"), "-DGROUP=4", "-o", Path("both.spv")});
  ASSERT_EQ(compiled.exit_code, 0) << compiled.output;
  const ProgramResult reflected = Run({"reflect", Path("both.spv")});
  EXPECT_NE(reflected.output.find("node 'first'"), std::string::npos) << reflected.output;
  EXPECT_NE(reflected.output.find("node 'second'"), std::string::npos);
  const ProgramResult lower = Run({"lower", Path("both.spv"), "-o", Path("x.spv")});
  EXPECT_EQ(lower.exit_code, 2);
  ExpectOneLine(lower, "has the nodes 'first' and 'second': choose one with --entry");
  EXPECT_EQ(Run({"lower", Path("both.spv"), "-o", Path("x.spv"), "--entry", "second"}).exit_code, 0);
  const ProgramResult same = Run(
      {"compile", Path("node.comp"), Path("node.comp"), "-I" + Path("include"), "-DGROUP=4", "-o", Path("both.spv")});
  EXPECT_EQ(same.exit_code, 2);
  ExpectOneLine(same, "two inputs have the entry point 'main'");
}

TEST_F(Cli, DependencyFileNamesSourceIncludeAndHeader) {
  ASSERT_EQ(Compile({"-o", Path("node.spv"), "-M", Path("node.d")}).exit_code, 0);
  Expected<std::string> rule = ReadText(Path("node.d"));
  ASSERT_TRUE(rule);
  EXPECT_TRUE(rule->starts_with(Path("node.spv") + ": ")) << *rule;
  for (const char* file : {"node.comp", "item.glsl", "trellis/node_payload.glsl"})
    EXPECT_NE(rule->find(file), std::string::npos) << *rule;
}

TEST_F(Cli, HeaderWithVariableName) {
  ASSERT_EQ(Compile({"-o", Path("node.h"), "--vn", "kNode"}).exit_code, 0);
  Expected<std::string> header = ReadText(Path("node.h"));
  ASSERT_TRUE(header);
  EXPECT_NE(header->find("inline constexpr std::uint32_t kNode[] = {\n    0x07230203,"), std::string::npos)
      << header->substr(0, 200);
}

TEST_F(Cli, DebugInformationOnDemand) {
  ASSERT_EQ(Compile({"-o", Path("node.spv"), "-g"}).exit_code, 0);
  EXPECT_NE(Run({"disassemble", Path("node.spv")}).output.find("OpLine"), std::string::npos);
  EXPECT_EQ(Run({"disassemble", CompiledNode()}).output.find("OpLine"), std::string::npos);
}

TEST_F(Cli, SyntaxErrorsAreGlslangs) {
  Put("node.comp", std::string(kNode) + "void broken( {\n");
  const ProgramResult compiled = Compile({"-o", Path("node.spv")});
  EXPECT_EQ(compiled.exit_code, 1);
  EXPECT_NE(compiled.output.find("node.comp:13: '"), std::string::npos) << compiled.output;
  EXPECT_FALSE(fs::exists(Path("node.spv")));
}

TEST_F(Cli, BrokenRulesNameTheGlslLine) {
  std::string node = kNode;
  node.insert(node.find("Work_thread(1);") + 15, " node_finish_writing();");
  Put("node.comp", node);
  const ProgramResult compiled = Compile({"-o", Path("node.spv")});
  EXPECT_EQ(compiled.exit_code, 1);
  EXPECT_NE(compiled.output.find("node.comp:9: error: [TrackFinishWritingAMDX/required]"), std::string::npos)
      << compiled.output;
  EXPECT_FALSE(fs::exists(Path("node.spv")));
}

TEST_F(Cli, RulesAboutWhatExecutesWarn) {
  std::string node = kNode;
  node.replace(node.find("Work_thread(1)"), 14, "Work_thread(5)");
  Put("node.comp", node);
  const ProgramResult compiled = Compile({"-o", Path("node.spv")});
  EXPECT_EQ(compiled.exit_code, 0) << "the allocation may never execute";
  EXPECT_NE(compiled.output.find("node.comp:9: warning: [NodeMaxPayloadsAMDX/count] allocates 5 payloads"),
            std::string::npos)
      << compiled.output;
  EXPECT_TRUE(fs::exists(Path("node.spv")));
}

TEST_F(Cli, MessagesSayWhatToWriteInGlsl) {
  std::string node = kNode;
  node.replace(node.find("NODE_OUTPUT"), 0, "NODE_STATIC_GRID(1, 1, 1);\n");
  Put("node.comp", node);
  EXPECT_NE(
      Compile({"-o", Path("node.spv")}).output.find("NODE_INPUTS takes neither NODE_STATIC_GRID nor NODE_MAX_GRID"),
      std::string::npos);
}

TEST_F(Cli, DeclarationsInIncludesAreFoundThere) {
  Put("include/item.glsl",
      "struct Item { uint value; };\n\nNODE_LIMIT_OF(\"Nothing\") NODE_OUTPUT(Item, Extra, \"extra\", 1);\n");
  std::string node = kNode;
  node.replace(node.find("node_enqueue(w)"), 15, "node_enqueue(w); node_enqueue(Extra_group(1))");
  Put("node.comp", node);
  EXPECT_NE(Compile({"-o", Path("node.spv")}).output.find("item.glsl:3: NODE_LIMIT_OF(\"Nothing\")"),
            std::string::npos);
}

TEST_F(Cli, CrashOfGlslangIsOneClearLine) {
  Put("crash.sh", "#!/bin/sh\nkill -SEGV $$\n");
  fs::permissions(Path("crash.sh"), fs::perms::owner_all);
  const ProgramResult compiled = Compile({"-o", Path("node.spv"), "--glslang", Path("crash.sh")});
  EXPECT_EQ(compiled.exit_code, 1);
  ExpectOneLine(compiled, "glslang crashed (signal 11)");
}

TEST_F(Cli, MissingGlslangIsOneClearLine) {
  const ProgramResult compiled = Compile({"-o", Path("node.spv"), "--glslang", Path("nowhere")});
  ExpectRefusal(compiled, "glslang cannot be run: " + Path("nowhere") +
                              ": No such file or directory; --glslang or TRELLIS_GLSLANG must name the program "
                              "glslangValidator or glslang");
  setenv("TRELLIS_GLSLANG", "", 1);
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const ProgramResult without = Compile({"-o", Path("node.spv")});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(without.exit_code, 1);
  ExpectOneLine(without, "neither glslangValidator nor glslang is in PATH");
}

TEST_F(Cli, ValidateRefusesABrokenModuleByName) {
  Expected<std::string> text = spirv::BrokenText("visibility_subgroup");
  ASSERT_TRUE(text);
  Expected<std::vector<uint32_t>> words = spirv::Assemble(*text);
  ASSERT_TRUE(words);
  ASSERT_TRUE(WriteWords(Path("broken.spv"), *words));
  const ProgramResult result = Run({"validate", Path("broken.spv")});
  EXPECT_EQ(result.exit_code, 1);
  ExpectOneLine(result, "[OpAllocateNodePayloadsAMDX/Visibility]");
}

TEST_F(Cli, ValidateWarnsOfWhatCompilersDoUnlessStrict) {
  Expected<std::string> text = spirv::BrokenText("grid_missing");
  ASSERT_TRUE(text);
  Expected<std::vector<uint32_t>> words = spirv::Assemble(*text);
  ASSERT_TRUE(words);
  ASSERT_TRUE(WriteWords(Path("odd.spv"), *words));
  const ProgramResult result = Run({"validate", Path("odd.spv")});
  EXPECT_EQ(result.exit_code, 0);
  ExpectOneLine(result, "warning: [PayloadDispatchIndirectAMDX/required]");
  EXPECT_EQ(Run({"validate", Path("odd.spv"), "--strict"}).exit_code, 1);
}

// Names come from the command line, since many modules call their entry point "main".
TEST_F(Cli, GraphsOfSeveralModules) {
  const std::string node = CompiledNode();
  const ProgramResult mermaid = Run({"reflect", "--graph", "first=" + node, "worker[0]=" + node, "worker[1]=" + node});
  EXPECT_EQ(mermaid.exit_code, 0) << mermaid.output;
  EXPECT_NE(mermaid.output.find("n0[\"first<br>coalescing 4"), std::string::npos) << mermaid.output;
  EXPECT_NE(mermaid.output.find("n1[\"worker[0..1]<br>"), std::string::npos) << mermaid.output;
  EXPECT_NE(mermaid.output.find("n0 -- \"up to 4 x 4 bytes\" --> n1"), std::string::npos) << mermaid.output;
  const ProgramResult written = Run({"reflect", "--graph", "worker=" + node, "-o", Path("graph.json")});
  EXPECT_EQ(written.exit_code, 0) << written.output;
  const Expected<std::string> text = ReadText(Path("graph.json"));
  ASSERT_TRUE(text);
  EXPECT_EQ(nlohmann::json::parse(*text)["edges"][0]["to"], 0);
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"reflect", "--graph"},
                                                {"reflect", "--graph", node, "-o", Path("graph.pdf")},
                                                {"reflect", "--graph", node, "--json"},
                                                {"reflect", node, "-o", Path("graph.dot")}})
    EXPECT_EQ(Run(wrong).exit_code, 2);
  EXPECT_EQ(Run({"reflect", "--graph", "worker[x]=" + node}).exit_code, 1);
  EXPECT_EQ(Run({"reflect", "--graph", "worker=" + Path("missing.spv")}).exit_code, 1);
}

}  // namespace
}  // namespace trellis::tool
