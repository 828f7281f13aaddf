// SPDX-License-Identifier: Apache-2.0
struct Point {
  NODE_GRID uint grid;
  uint slot;
};
