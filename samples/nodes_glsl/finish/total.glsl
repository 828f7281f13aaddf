// SPDX-License-Identifier: Apache-2.0
struct Total {
  NODE_GRID uint grid;
  NODE_TRACKED uint sum;
  uint slot;
};
