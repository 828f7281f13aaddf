// SPDX-License-Identifier: Apache-2.0
// Graphs whose compute nodes send tiles to mesh nodes (shaders/relay_tiles.comp).
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tests/gpu/mesh_nodes.h"

namespace trellis::test {

// The payload of shaders/relay_tiles.comp.
struct Order {
  uint32_t grid[2] = {1, 1};
  uint32_t node = 0;
  uint32_t count = 1;
  uint32_t move[2] = {0, 0};
  uint32_t raise = 0;
  uint32_t unused = 0;
  Tiles tiles;
};

// The tiles of the order's payload `number`.
inline Tiles TilesOf(const Order& order, uint32_t number) {
  Tiles tiles = order.tiles;
  for (int i = 0; i < 2; ++i) tiles.corner[i] += number * order.move[i];
  tiles.value += number * order.raise;
  return tiles;
}

inline GraphInput OrdersFor(const std::string& node, const std::vector<Order>& orders) {
  GraphInput input = {.node = node, .count = static_cast<uint32_t>(orders.size())};
  input.payloads.resize(orders.size() * sizeof(Order));
  std::memcpy(input.payloads.data(), orders.data(), input.payloads.size());
  input.stride = sizeof(Order);
  return input;
}

inline GraphNode ComputeNode(std::span<const uint32_t> words, const std::string& name, uint32_t index = 0) {
  GraphNode node;
  node.words.assign(words.begin(), words.end());
  node.entry = "main";
  node.name = name;
  node.index = index;
  return node;
}

// A column of payloads that touch nothing of one another: order after order, from left to right.
inline std::vector<Order> Columns(uint32_t orders, uint32_t count) {
  std::vector<Order> columns;
  for (uint32_t i = 0; i < orders; ++i)
    columns.push_back({.count = count,
                       .move = {0, 6},
                       .raise = 10,
                       .tiles = {{1 + i % 2, 1 + i % 3}, {i * 4, 2}, {2, 2}, {1, 1}, 1000 * (i + 1), i}});
  return columns;
}

class MeshDraws : public MeshNodeTest {
 protected:
  // Paints and counts what the orders send; `workgroups`: of the relay, for each.
  void Add(const std::vector<Order>& orders, uint32_t added = 0) {
    for (const Order& order : orders)
      for (uint32_t i = 0; i < order.count * order.grid[0] * order.grid[1]; ++i) Add(TilesOf(order, i), added);
  }
  void Add(const Tiles& tiles, uint32_t added = 0) {
    painting_.Paint(tiles, added);
    Count(tiles.counter, tiles.grid[0] * tiles.grid[1]);
  }
  void Count(uint32_t word, uint32_t count) {
    counts_.resize(std::max<size_t>(counts_.size(), word + 1));
    counts_[word] += count;
  }
  void ExpectAll() { Expect(painting_, counts_); }
  // One dispatch.
  void Draw(const std::vector<GraphInput>& inputs, uint32_t added = 0) {
    Render([&](VkCommandBuffer command_buffer) {
      BindGraph(command_buffer, added);
      Dispatch(command_buffer, inputs);
    });
  }

  Painting painting_;
  std::vector<uint32_t> counts_;
};

// Rings of 1 MiB.
class MeshDrawsInSmallRings : public MeshDraws {
 protected:
  explicit MeshDrawsInSmallRings(std::string max_rounds = "0") : max_rounds_(std::move(max_rounds)) {}
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    std::vector<EnvironmentSetting> settings = MeshDraws::Settings();
    settings.push_back({"TRELLIS_RING_BUDGET", "1"});
    settings.push_back({"TRELLIS_MAX_ROUNDS", max_rounds_});
    return settings;
  }
  // `payloads` of one pixel each, in the first `rows` of the image; the node `node` gets them.
  static std::vector<Order> Pixels(uint32_t payloads, uint32_t node, uint32_t rows = kSide) {
    std::vector<Order> orders;
    for (uint32_t i = 0; i < payloads; i += kSide)
      orders.push_back(
          {.node = node,
           .count = std::min(payloads - i, kSide),
           .move = {1, 0},
           .raise = 1,
           .tiles = {{1, 1}, {0, i / kSide % rows}, {0, 0}, {1, 1}, 1 + i % (rows * kSide), i / kSide % 100}});
    return orders;
  }

 private:
  const std::string max_rounds_;
};

}  // namespace trellis::test
