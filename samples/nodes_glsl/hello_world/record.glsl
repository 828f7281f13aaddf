// SPDX-License-Identifier: Apache-2.0
struct RecordData {
  int my_data;
};
