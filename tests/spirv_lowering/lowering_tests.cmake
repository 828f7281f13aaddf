target_sources(trellis_spirv_tests PRIVATE
  commit_test.cpp
  handles_test.cpp
  hostile_test.cpp
  node_samples.cpp
  node_samples.h
  node_text.cpp
  node_text.h
  reflect_test.cpp)
target_link_libraries(trellis_spirv_tests PRIVATE trellis_spirv_lowering)
target_compile_definitions(trellis_spirv_tests PRIVATE "TRELLIS_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"")
