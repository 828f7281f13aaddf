struct Item {
  uint value;
};
