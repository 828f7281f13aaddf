// SPDX-License-Identifier: Apache-2.0
// Mesh nodes that the host dispatches: drawn in place, against pictures that the CPU paints.
#include <algorithm>
#include <cstring>

#include "test_nodes/count.h"
#include "test_nodes/static_tiles.h"
#include "test_nodes/tiles.h"
#include "test_nodes/tiles_sharer.h"
#include "tests/gpu/mesh_nodes.h"
#include "tests/plain_frag_spv.h"
#include "tests/plain_vert_spv.h"
#include "tests/tiles_frag_spv.h"

namespace trellis::test {
namespace {

uint32_t Workgroups(const Tiles& tiles) { return tiles.grid[0] * tiles.grid[1]; }

class MeshNodes : public MeshNodeTest {
 protected:
  // One dispatch of the node "main".
  void DrawMain(const std::vector<Tiles>& records) {
    Render([&](VkCommandBuffer command_buffer) {
      BindGraph(command_buffer);
      Dispatch(command_buffer, {InputOf("main", records)});
    });
  }
  // That each of the records, which count in words of their own, was painted once, and nothing else.
  void ExpectAll(const std::vector<Tiles>& records, uint32_t added = 0) {
    Painting painting;
    std::vector<uint32_t> counts;
    for (const Tiles& tiles : records) {
      painting.Paint(tiles, added);
      counts.resize(std::max<size_t>(counts.size(), tiles.counter + 1));
      counts[tiles.counter] += Workgroups(tiles);
    }
    Expect(painting, counts);
  }
};

// Tiles that touch nothing of one another, one record next to the other.
std::vector<Tiles> Row(uint32_t count, uint32_t y, uint32_t first_value, uint32_t first_counter) {
  std::vector<Tiles> row;
  for (uint32_t i = 0; i < count; ++i)
    row.push_back({{1 + i % 2, 1 + i % 3}, {i * 4, y}, {2, 1}, {2, 1}, first_value + i * 100, first_counter + i});
  return row;
}

TEST_F(MeshNodes, GridsFromPayloads) {
  Link({{kTilesNode, kTilesFragSpv}});
  const std::vector<Tiles> records = Row(16, 8, 1000, 0);
  DrawMain(records);
  ExpectAll(records);
}

TEST_F(MeshNodes, StaticGrids) {
  Link({{kStaticTilesNode, kTilesFragSpv}});
  std::vector<Tiles> records;
  for (uint32_t i = 0; i < 9; ++i) records.push_back({{3, 2}, {i * 7, i * 7}, {2, 3}, {2, 3}, 10 + i * 10, i});
  DrawMain(records);
  ExpectAll(records);
}

// Records without workgroups, with one, with many; large grids among small ones.
TEST_F(MeshNodes, UnevenGrids) {
  Link({{kTilesNode, kTilesFragSpv}});
  std::vector<Tiles> records = {{{0, 5}, {0, 0}, {1, 1}, {1, 1}, 1, 0}, {{64, 16}, {0, 0}, {1, 1}, {1, 1}, 100, 1},
                                {{1, 0}, {0, 0}, {1, 1}, {1, 1}, 2, 2}, {{1, 1}, {0, 16}, {1, 1}, {64, 3}, 7, 3},
                                {{0, 0}, {0, 0}, {1, 1}, {1, 1}, 3, 4}, {{64, 1}, {0, 20}, {1, 1}, {1, 44}, 900, 5}};
  DrawMain(records);
  ExpectAll(records);
}

// Primitives of one payload are drawn in the order of their workgroups.
TEST_F(MeshNodes, TilesOverOneAnotherInOrder) {
  for (const auto node : {std::span<const uint32_t>(kTilesNode), std::span<const uint32_t>(kStaticTilesNode)}) {
    Link({{node, kTilesFragSpv}});
    const std::vector<Tiles> records = {{{3, 2}, {0, 0}, {3, 3}, {20, 20}, 50, 0},
                                        {{3, 2}, {32, 32}, {1, 5}, {9, 9}, 500, 1}};
    DrawMain(records);
    ExpectAll(records);
    words().words()[0] = words().words()[1] = 0;
  }
}

// More workgroups than one dimension of a draw may have.
TEST_F(MeshNodes, MoreRecordsThanADrawIsWide) {
  Link({{kTilesNode, kTilesFragSpv}});
  constexpr uint32_t kRecords = 70'000;
  std::vector<Tiles> records;
  for (uint32_t i = 0; i < kRecords; ++i) {
    const uint32_t pixel = i % (kSide * kSide);
    records.push_back({{1, 1}, {pixel % kSide, pixel / kSide}, {1, 1}, {1, 1}, pixel + 1, pixel % 256});
  }
  DrawMain(records);
  Painting painting;
  for (uint32_t pixel = 0; pixel < kSide * kSide; ++pixel)
    painting.PaintRectangle(pixel % kSide, pixel / kSide, 1, 1, pixel + 1);
  std::vector<uint32_t> counts(256);
  for (uint32_t i = 0; i < kRecords; ++i) ++counts[i % (kSide * kSide) % 256];
  Expect(painting, counts);
}

// Nodes of an array, several infos of a node, several nodes and dispatches in one instance on one scratch buffer.
TEST_F(MeshNodes, ArraysInfosAndDispatches) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0},
        {kTilesNode, kTilesFragSpv, "tiles", 3},
        {kStaticTilesNode, kTilesFragSpv, "static", 0}});
  const std::vector<Tiles> first = Row(8, 0, 100, 0), second = Row(8, 10, 2000, 8), third = Row(8, 20, 4000, 16);
  const std::vector<Tiles> static_tiles = {{{3, 2}, {0, 40}, {4, 4}, {4, 4}, 9, 24}};
  Render([&](VkCommandBuffer command_buffer) {
    BindGraph(command_buffer, 5);
    Dispatch(command_buffer, {InputOf("tiles", first, 3), InputOf("static", static_tiles), InputOf("tiles", second)});
    BindGraph(command_buffer, 70);
    Dispatch(command_buffer, {InputOf("tiles", third, 3)});
  });
  Painting painting;
  std::vector<uint32_t> counts;
  for (const std::vector<Tiles>* records : {&first, &second, &third, &static_tiles})
    for (const Tiles& tiles : *records) {
      painting.Paint(tiles, records == &third ? 70 : 5);
      counts.push_back(Workgroups(tiles));
    }
  Expect(painting, counts);
}

// An array of nodes, all in one dispatch, with a record each.
TEST_F(MeshNodes, ManyNodesOfAnArray) {
  constexpr uint32_t kNodes = 16;
  std::vector<MeshNode> nodes;
  std::vector<GraphInput> inputs;
  Painting painting;
  std::vector<uint32_t> counts;
  for (uint32_t i = 0; i < kNodes; ++i) {
    nodes.push_back({.mesh = kTilesNode, .fragment = kTilesFragSpv, .name = "tiles", .index = i * 3});
    const std::vector<Tiles> record = {{{1, 1 + i % 2}, {i * 4, i}, {4, 8}, {4, 5}, 1000 + i * 10, i}};
    inputs.push_back(InputOf("tiles", record, i * 3));
    painting.Paint(record[0]);
    counts.push_back(Workgroups(record[0]));
  }
  Link(nodes);
  Render([&](VkCommandBuffer command_buffer) {
    BindGraph(command_buffer);
    Dispatch(command_buffer, inputs);
  });
  Expect(painting, counts);
}

// A recording is submitted again, with other payloads in the application's memory meanwhile.
TEST_F(MeshNodes, ResubmittedRecordings) {
  Link({{kTilesNode, kTilesFragSpv}});
  std::vector<Tiles> records = Row(16, 8, 1000, 0);
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  image().BeginRendering(command_buffer);
  SetViewport(command_buffer);
  BindGraph(command_buffer);
  Dispatch(command_buffer, {InputOf("main", records)});
  image().EndRendering(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  std::vector<uint32_t> counts(words().words().size());
  for (const Tiles& tiles : records) counts[tiles.counter] = 3 * Workgroups(tiles);
  EXPECT_TRUE(std::equal(counts.begin(), counts.end(), words().words().begin()));
}

// A static grid next to a grid from the payload, of one record.
TEST_F(MeshNodes, SharedInputs) {
  Link({{kTilesNode, kTilesFragSpv}, {kTilesSharerNode, kTilesFragSpv, "below", 0}});
  const std::vector<Tiles> records = {{{2, 3}, {0, 0}, {4, 4}, {4, 4}, 10, 0},
                                      {{5, 1}, {32, 0}, {4, 4}, {3, 3}, 100, 1}};
  DrawMain(records);
  Painting painting;
  std::vector<uint32_t> counts;
  for (const Tiles& tiles : records) {
    painting.Paint(tiles);
    Tiles below = tiles;
    below.grid[0] = 3;
    below.grid[1] = 2;
    below.corner[1] += 32;
    painting.Paint(below);
    counts.push_back(Workgroups(tiles) + Workgroups(below));
  }
  Expect(painting, counts);
}

// A quarter of the image, as two triangles.
std::vector<Vertex> Quarter(float x, float y, uint32_t value) {
  const Vertex corners[] = {{x, y, value}, {x + 1, y, value}, {x, y + 1, value}, {x + 1, y + 1, value}};
  return {corners[0], corners[1], corners[2], corners[1], corners[2], corners[3]};
}

// The application draws with its own pipeline, set, vertices and push constants before the graph and behind it, and
// binds them once.
TEST_F(MeshNodes, GraphicsStateSurvives) {
  Link({{kTilesNode, kTilesFragSpv}});
  Pipeline own(context());
  own.MakeGraphics(kPlainVertSpv, kPlainFragSpv, layout().handle());
  std::vector<GuardedBuffer> own_words;
  own_words.emplace_back(context(), 1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  own_words[0].words()[3] = 5000;
  const DescriptorSets own_sets(context(), layout(), LayoutOfNodes(), own_words);
  const GuardedBuffer vertices(context(), 4096, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  std::vector<Vertex> both = Quarter(-1, -1, 1);
  const std::vector<Vertex> second = Quarter(0, 0, 2);
  both.insert(both.end(), second.begin(), second.end());
  std::memcpy(vertices.words().data(), both.data(), both.size() * sizeof(Vertex));
  const std::vector<Tiles> records = {{{4, 4}, {28, 28}, {2, 2}, {2, 2}, 70, 0}};
  Render([&](VkCommandBuffer command_buffer) {
    const VkBuffer buffer = vertices.handle();
    const VkDeviceSize offset = vertices.offset();
    vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, own.handle());
    vkCmdBindVertexBuffers(command_buffer, 0, 1, &buffer, &offset);
    vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, layout().handle(), 0, 1,
                            own_sets.sets().data(), 0, nullptr);
    BindGraph(command_buffer, 300);
    vkCmdDraw(command_buffer, 6, 1, 0, 0);
    Dispatch(command_buffer, {InputOf("main", records)});
    vkCmdDraw(command_buffer, 6, 1, 6, 0);
  });
  Painting painting;
  painting.PaintRectangle(0, 0, 32, 32, 1 + 300 + 5000);
  painting.Paint(records[0], 300);
  painting.PaintRectangle(32, 32, 32, 32, 2 + 300 + 5000);
  Expect(painting, {16});
  EXPECT_TRUE(own_words[0].GuardsIntact());
}

// Compute nodes of a graph with mesh nodes split the instance, and draws of the graph around them stay in place.
TEST_F(MeshNodes, ComputeNodesOfTheSameGraph) {
  GraphNode compute;
  compute.words.assign(std::begin(kCountNode), std::end(kCountNode));
  compute.entry = "main";
  compute.name = "count";
  compute.index = 0;
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {compute});
  const std::vector<Tiles> first = Row(16, 8, 1000, 0), second = Row(16, 40, 2000, 16);
  GraphInput counts_input = {.node = "count", .count = 2, .payloads = Bytes({40, 41}), .stride = 4};
  Render([&](VkCommandBuffer command_buffer) {
    BindGraph(command_buffer, 7);
    Dispatch(command_buffer, {InputOf("tiles", first)});
    Dispatch(command_buffer, {counts_input});
    Dispatch(command_buffer, {InputOf("tiles", second)});
  });
  Painting painting;
  std::vector<uint32_t> counts;
  for (const std::vector<Tiles>* records : {&first, &second})
    for (const Tiles& tiles : *records) {
      painting.Paint(tiles, 7);
      counts.push_back(Workgroups(tiles));
    }
  counts.resize(40);
  counts.insert(counts.end(), {21, 21});
  Expect(painting, counts);
}

}  // namespace
}  // namespace trellis::test
