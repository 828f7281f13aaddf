struct Total {
  NODE_GRID uint grid;
  NODE_TRACKED uint sum;
  uint slot;
};
