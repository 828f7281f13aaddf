include("${CMAKE_CURRENT_LIST_DIR}/SPIRV-ToolsTarget.cmake")
