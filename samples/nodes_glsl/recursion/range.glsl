// SPDX-License-Identifier: Apache-2.0
struct Range {
  uint first;
  uint count;
};
