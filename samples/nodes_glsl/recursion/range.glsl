struct Range {
  uint first;
  uint count;
};
