struct RecordData {
  int my_data;
};
