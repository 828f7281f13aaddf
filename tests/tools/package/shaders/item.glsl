// SPDX-License-Identifier: Apache-2.0
struct Item {
  uint value;
};
