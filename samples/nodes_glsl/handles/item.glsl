// SPDX-License-Identifier: Apache-2.0
struct Seed {
  uint start;
};
struct Item {
  uint slot;
  uint value;
};
