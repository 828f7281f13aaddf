struct Seed {
  uint start;
};
struct Item {
  uint slot;
  uint value;
};
