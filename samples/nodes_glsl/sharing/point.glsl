struct Point {
  NODE_GRID uint grid;
  uint slot;
};
