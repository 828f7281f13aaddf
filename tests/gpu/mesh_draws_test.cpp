// SPDX-License-Identifier: Apache-2.0
// Mesh nodes that other nodes enqueue to: drawn after all compute work of the dispatch, against pictures that the CPU
// paints.
#include "tests/gpu/mesh_draws.h"
#include "test_nodes/coalescing_relay.h"
#include "test_nodes/count_tiles.h"
#include "test_nodes/count_tiles_sharer.h"
#include "test_nodes/dynamic_relay.h"
#include "test_nodes/recursive_relay.h"
#include "test_nodes/relay.h"
#include "test_nodes/static_tiles.h"
#include "test_nodes/tiles.h"
#include "test_nodes/tiles_second.h"
#include "test_nodes/writing_tiles.h"
#include "tests/tiles_frag_spv.h"

namespace trellis::test {
namespace {

// The region's counters are the arguments of the draw.
TEST_F(MeshDraws, StaticGrids) {
  Link({{kStaticTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  std::vector<Order> orders = Columns(8, 3);
  for (Order& order : orders) {
    order.tiles.grid[0] = 3;
    order.tiles.grid[1] = 2;
    order.tiles.corner[0] *= 2;
  }
  Draw({OrdersFor("relay", orders)}, 7);
  Add(orders, 7);
  ExpectAll();
}

TEST_F(MeshDraws, GridsFromPayloads) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  const std::vector<Order> orders = Columns(16, 10);
  Draw({OrdersFor("relay", orders)}, 7);
  Add(orders, 7);
  ExpectAll();
}

TEST_F(MeshDraws, NothingArrives) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}, {kStaticTilesNode, kTilesFragSpv, "others", 0}},
       {ComputeNode(kRelayNode, "relay")});
  Draw({OrdersFor("relay", Columns(16, 0))});
  ExpectAll();
}

TEST_F(MeshDraws, UnevenGrids) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  const Tiles tiles[] = {{{0, 5}, {0, 0}, {1, 1}, {1, 1}, 1, 0}, {{64, 16}, {0, 0}, {1, 1}, {1, 1}, 100, 1},
                         {{1, 0}, {0, 0}, {1, 1}, {1, 1}, 2, 2}, {{1, 1}, {0, 16}, {1, 1}, {64, 3}, 7, 3},
                         {{0, 0}, {0, 0}, {1, 1}, {1, 1}, 3, 4}, {{64, 1}, {0, 20}, {1, 1}, {1, 44}, 900, 5}};
  std::vector<Order> orders;
  for (const Tiles& each : tiles) orders.push_back({.tiles = each});
  Draw({OrdersFor("relay", orders)});
  Add(orders);
  ExpectAll();
}

// Producers of each launch kind.
TEST_F(MeshDraws, ProducersOfEachKind) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}, {kStaticTilesNode, kTilesFragSpv, "tiles static", 0}},
       {ComputeNode(kRelayNode, "relay"), ComputeNode(kCoalescingRelayNode, "coalescing"),
        ComputeNode(kDynamicRelayNode, "dynamic")});
  std::vector<Order> fixed = Columns(4, 2), coalesced = Columns(11, 1), dynamic = Columns(3, 2);
  for (Order& order : fixed) order.tiles.corner[1] += 40;
  for (Order& order : coalesced) order.tiles.counter += 4;
  for (Order& order : dynamic) {
    order.grid[0] = 2;
    order.grid[1] = 2;
    order.tiles.corner[0] += 46;
    order.tiles.counter += 15;
  }
  Draw({OrdersFor("relay", fixed), OrdersFor("coalescing", coalesced), OrdersFor("dynamic", dynamic)}, 3);
  Add(fixed, 3);
  Add(coalesced, 3);
  Add(dynamic, 3);
  ExpectAll();
}

// 1 to 100,000 payloads: more than a draw is wide, and more than a kernel takes at once.
TEST_F(MeshDraws, ManyPayloads) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  for (const uint32_t payloads : {1u, 1'000u, 100'000u}) {
    std::vector<Order> orders;
    for (uint32_t i = 0; i < payloads; i += 64) {
      const uint32_t row = i / kSide % kSide;
      orders.push_back({.count = std::min(payloads - i, 64u),
                        .move = {1, 0},
                        .raise = 1,
                        .tiles = {{1, 1}, {0, row}, {1, 1}, {1, 1}, 1 + row * kSide, i / kSide % 256}});
    }
    Draw({OrdersFor("relay", orders)});
    painting_ = {};
    counts_.clear();
    Add(orders);
    ExpectAll();
    std::fill(words().words().begin(), words().words().end(), 0);
  }
}

// An array of mesh nodes: all payloads to one of them, and some to each.
TEST_F(MeshDraws, Arrays) {
  std::vector<MeshNode> nodes;
  for (uint32_t i = 0; i < 16; ++i) nodes.push_back({kTilesNode, kTilesFragSpv, "tiles", i});
  Link(nodes, {ComputeNode(kRelayNode, "relay")});
  for (const bool to_one : {true, false}) {
    std::vector<Order> orders = Columns(16, 10);
    for (uint32_t i = 0; i < orders.size(); ++i) orders[i].node = to_one ? 11 : i;
    Draw({OrdersFor("relay", orders)});
    painting_ = {};
    counts_.clear();
    Add(orders);
    ExpectAll();
    std::fill(words().words().begin(), words().words().end(), 0);
  }
}

// Mesh nodes and compute nodes as roots of one dispatch.
TEST_F(MeshDraws, RootsOfBothKinds) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}, {kStaticTilesNode, kTilesFragSpv, "static", 0}},
       {ComputeNode(kRelayNode, "relay"), ComputeNode(kCountTilesNode, "count")});
  const std::vector<Order> orders = Columns(8, 10);
  const std::vector<Tiles> own = {{{3, 3}, {40, 2}, {4, 4}, {3, 3}, 5, 20}, {{2, 1}, {40, 30}, {4, 4}, {3, 3}, 50, 21}};
  const std::vector<Tiles> fixed = {{{3, 2}, {40, 40}, {4, 4}, {3, 3}, 500, 22}};
  Draw({OrdersFor("relay", orders), InputOf("tiles", own), InputOf("static", fixed), InputOf("count", own)});
  Add(orders);
  for (const Tiles& tiles : own) {
    Add(tiles);
    Count(tiles.counter + 128, 1);
  }
  Add(fixed[0]);
  ExpectAll();
}

// The mesh node gets records in many levels: each has a draw of its own, and no level overwrites what is to be drawn.
TEST_F(MeshDraws, RecursionInFront) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRecursiveRelayNode, "relay")});
  std::vector<Order> orders;
  for (uint32_t i = 0; i < 32; ++i)
    orders.push_back({.grid = {i + 1, 1},
                      .move = {0, 2},
                      .raise = 1,
                      .tiles = {{1, 1}, {i * 2, 0}, {1, 1}, {1, 1}, 1 + i * 100, i}});
  Draw({OrdersFor("relay", orders)});
  Add(orders);
  ExpectAll();
}

// A mesh node shares the input of a mesh node and of a compute node; a compute node shares that of a mesh node.
TEST_F(MeshDraws, SharedInputs) {
  const auto below = [](Tiles tiles) {
    tiles.grid[0] = 3;
    tiles.grid[1] = 2;
    tiles.corner[1] += 32;
    return tiles;
  };
  const std::vector<Order> orders = Columns(6, 4);
  std::vector<Order> wide = orders;
  for (Order& order : wide) order.tiles.corner[0] *= 2;
  for (const bool shares_mesh : {true, false}) {
    std::vector<MeshNode> meshes = {{kTilesSecondNode, kTilesFragSpv, "below", 0}};
    std::vector<GraphNode> compute = {ComputeNode(kRelayNode, "relay")};
    if (shares_mesh) {
      meshes.push_back({kTilesNode, kTilesFragSpv, "tiles", 0});
      compute.push_back(ComputeNode(kCountTilesSharerNode, "sharer"));
    } else {
      compute.push_back(ComputeNode(kCountTilesNode, "tiles"));
    }
    Link(meshes, compute);
    Draw({OrdersFor("relay", wide)});
    painting_ = {};
    counts_.clear();
    for (const Order& order : wide)
      for (uint32_t i = 0; i < order.count; ++i) {
        const Tiles tiles = TilesOf(order, i);
        if (shares_mesh) Add(tiles);
        Add(below(tiles));
        Count(tiles.counter + 128, 1);
      }
    ExpectAll();
    std::fill(words().words().begin(), words().words().end(), 0);
  }
}

// On one scratch buffer without barriers, with other viewports; the application's own draws of the graph between them.
TEST_F(MeshDraws, SeveralDispatchesInOneInstance) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  const std::vector<Order> orders = Columns(8, 5);
  const std::vector<Tiles> in_place = {{{2, 2}, {2, 34}, {4, 4}, {3, 3}, 9, 30}};
  Render([&](VkCommandBuffer command_buffer) {
    BindGraph(command_buffer, 1);
    Dispatch(command_buffer, {OrdersFor("relay", orders)});
    BindGraph(command_buffer, 2);
    Dispatch(command_buffer, {InputOf("tiles", in_place)});
    const VkViewport right = {32, 0, kSide, kSide, 0, 1};
    vkCmdSetViewport(command_buffer, 0, 1, &right);
    BindGraph(command_buffer, 3);
    Dispatch(command_buffer, {OrdersFor("relay", orders)});
    const VkViewport below = {32, 32, kSide, kSide, 0, 1};
    vkCmdSetViewport(command_buffer, 0, 1, &below);
    Dispatch(command_buffer, {OrdersFor("relay", orders)});
  });
  const auto moved = [&](uint32_t x, uint32_t y) {
    std::vector<Order> result = orders;
    for (Order& order : result) {
      order.tiles.corner[0] += x;
      order.tiles.corner[1] += y;
    }
    return result;
  };
  Add(orders, 1);
  Add(in_place[0], 2);
  Add(moved(32, 0), 3);
  Add(moved(32, 32), 3);
  ExpectAll();
}

TEST_F(MeshDraws, ResubmittedRecordings) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  const std::vector<Order> orders = Columns(16, 10);
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  image().BeginRendering(command_buffer);
  SetViewport(command_buffer);
  BindGraph(command_buffer);
  Dispatch(command_buffer, {OrdersFor("relay", orders)});
  image().EndRendering(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    Add(orders);
  }
  for (size_t i = 0; i < words().words().size(); ++i)
    EXPECT_EQ(words().words()[i], i < counts_.size() ? counts_[i] : 0) << "word " << i;
}

// Of the host and of compute nodes, by mesh nodes and by those that share their input: each execution finds them anew.
TEST_F(MeshDraws, WrittenInputs) {
  Link({{kWritingTilesNode, kTilesFragSpv, "tiles", 0}, {kWritingTilesNode, kTilesFragSpv, "own", 0}},
       {ComputeNode(kRelayNode, "relay")});
  std::vector<Order> orders = Columns(8, 5);
  std::vector<Tiles> own;
  for (uint32_t i = 0; i < 8; ++i) {
    orders[i].tiles.grid[0] = orders[i].tiles.grid[1] = 1;
    own.push_back({{1, 1}, {40 + i, 3 * i}, {1, 1}, {1, 2}, 500 + i, 20 + i});
  }
  for (const bool alone : {true, false}) {
    Commands commands(context());
    const VkCommandBuffer command_buffer = commands.Begin();
    image().BeginRendering(command_buffer);
    SetViewport(command_buffer);
    BindGraph(command_buffer);
    Dispatch(command_buffer, alone ? std::vector<GraphInput>{InputOf("own", own)}
                                   : std::vector<GraphInput>{OrdersFor("relay", orders), InputOf("own", own)});
    image().EndRendering(command_buffer);
    CopyPixels(command_buffer);
    ASSERT_EQ(commands.End(), VK_SUCCESS);
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(commands.Submit(), VK_SUCCESS);
      painting_ = {};
      if (!alone) Add(orders);
      for (const Tiles& tiles : own) Add(tiles);
      ExpectAll();
    }
  }
}

}  // namespace
}  // namespace trellis::test
