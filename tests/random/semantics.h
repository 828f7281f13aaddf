// SPDX-License-Identifier: Apache-2.0
// What a node does when it runs, as far as shaders and reference must agree on it by number.
//
// Everything follows from hashes of what a node gets, so no result depends on an order:
//   digest = salt folded with every word of the record (0 words: the salt)
//   record = Hash(digest, place * kLevels + remaining recursion levels), place = variant * kIndices + shader index
//   a workgroup of a grid:  run = Hash(record, linear workgroup id); a record of a coalescing node: run = record
// An output's `own` hash decides its shader index and number of records:
//   grids:      Hash(run, salt of the output), for invocations + 1 + LocalInvocationIndex
//   coalescing: for invocations Hash(record, salt of the output), for workgroups Hash(place, salt of the output):
//               which records meet in a workgroup is open, so index and records for each record of the input are the
//               same for all
// Record i of an allocation has the seed Hash(own, kRecordSalt + i), in workgroups of coalescing nodes
// Hash(Hash(record, salt of the output), kRecordSalt + i); word w of it is Hash(seed, w) through the target's
// RecordRule. A late output is enqueued if Hash(run, salt + kLateSalt) % 4 < quarters, with the place instead of the
// run in coalescing nodes.
#pragma once

#include <cstdint>

#include "tests/random/node_kind.h"

namespace trellis::test::random_graphs {

[[nodiscard]] constexpr uint32_t Hash(uint32_t a, uint32_t b) {
  uint32_t h = (a ^ (b * 0x9e3779b1u)) * 0x85ebca6bu;
  h ^= h >> 15;
  h *= 0xc2b2ae35u;
  return h ^ (h >> 13);
}

constexpr uint32_t kLevels = 16;   // above every recursion
constexpr uint32_t kIndices = 64;  // shader indices are below
constexpr uint32_t kPlaces = kVariants * kIndices;

[[nodiscard]] constexpr uint32_t OutputSalt(uint32_t output) { return 0x1000u * (output + 1); }
constexpr uint32_t kCountSalt = 1;
constexpr uint32_t kIndexSalt = 2;
constexpr uint32_t kValidSalt = 3;
constexpr uint32_t kLateSalt = 0x800;
constexpr uint32_t kRecordSalt = 0x100;
constexpr uint32_t kXorSalt = 5;
// Ids of workgroups and invocations become one number: x + y * kRow + z * kSlice.
constexpr uint32_t kRow = 1u << 10;
constexpr uint32_t kSlice = 1u << 20;

// Words of a place in the results. Those after them are nobody's.
enum ResultWord : uint32_t {
  kRuns,    // workgroups; coalescing: records
  kSum,     // of runs
  kXor,     // of Hash(run, kXorSalt)
  kLanes,   // grids: sum over invocations of Hash(run, linear GlobalInvocationId); both: + Hash(own, kValidSalt) for
            // each own hash whose target is there, of workgroups of grids for invocation 0 only
  kErrors,  // what must not happen, see ErrorCount
  kResultWords
};
constexpr uint32_t kPlaceWords = 8;

// Added to kErrors.
enum ErrorCount : uint32_t {
  kBadInputLength = 1,          // not from 1 to the most records a workgroup
  kBadIds = 1u << 8,            // of a coalescing workgroup
  kBadOutputLength = 1u << 16,  // not what was allocated
  kBadReadBack = 1u << 24,      // an overwritten record does not hold what was written
};

// Tables of one input, in words from its start: kTableWords for each output of each place, then what they point to.
enum TableWord : uint32_t {
  kTableMost,
  kTableQuarters,
  kTableIndexCount,  // 0: the node's own index
  kTableIndices,     // offset of shader indices
  kTableRecord,      // offset of {mask, set} for each word
};
constexpr uint32_t kTableWords = 8;

// Push constants.
enum PushWord : uint32_t { kPushResults, kPushTables, kPushSalt, kPushWords };

// Specialisation constants of every module.
enum SpecId : uint32_t {
  kSpecVariant,
  kSpecGridX,
  kSpecGridY,
  kSpecGridZ,
  kSpecRecursion,
  kSpecCoalesce,
  kSpecSharedName,
  kSpecSharedIndex,
  kSpecFirstOutput,  // kSpecOutputs for each output
};
enum OutputSpecId : uint32_t { kSpecName, kSpecBase, kSpecMost, kSpecArraySize, kSpecOutputs };
[[nodiscard]] constexpr uint32_t OutputSpec(uint32_t output, OutputSpecId id) {
  return kSpecFirstOutput + output * kSpecOutputs + id;
}

// Word w of a record whose bits outside `mask` are given.
[[nodiscard]] constexpr uint32_t RecordWord(uint32_t seed, uint32_t w, uint32_t mask, uint32_t set) {
  return (Hash(seed, w) & mask) | set;
}

// The bits of word w that a node can read: the rest of a word that holds narrow grid components belongs to no member.
[[nodiscard]] constexpr uint32_t ReadableBits(const GridMember& grid, uint32_t w) {
  const uint32_t begin = grid.first_word * 32, end = begin + grid.components * grid.bits;
  if (grid.components == 0 || w < grid.first_word || w * 32 >= end) return ~0u;
  return end - w * 32 >= 32 ? ~0u : (1u << (end - w * 32)) - 1;
}

}  // namespace trellis::test::random_graphs
