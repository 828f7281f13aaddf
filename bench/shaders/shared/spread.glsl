// SPDX-License-Identifier: Apache-2.0
// How the items of a classification are spread over the bins. Mirrored by BinOf in bench/workloads/records.cpp.
#include "records.glsl"

const uint kUniform = 0;
const uint kZipf = 1;  // bins [2^k - 1, 2^(k + 1) - 1) have as many items together for each k, so that the n-th has about an n-th of the first one's
const uint kFew = 3;   // kFewBins of the bins have all items, as many each
const uint kFewBins = 8;
layout(constant_id = 8) const uint kSpread = kUniform;  // else all items have one bin

uint bin_of(Record record, uint bins) {
  const uint seed = record.words.y;
  if (kSpread == kUniform) return seed % bins;
  if (kSpread == kZipf) {
    const uint first = (1u << (seed >> 16) % uint(findMSB(bins + 1))) - 1;
    return first + (seed & first);
  }
  if (kSpread == kFew) return seed % kFewBins * (bins / kFewBins) + bins / (2 * kFewBins);
  return bins / 2 + (record.words.x >> 31);  // no compiler knows that indices are small
}
