# SPDX-License-Identifier: Apache-2.0
# The page of reports as a header: trellis_report_page.h. The layer and the program `trellis` both put data into it.
set(trellis_page_parts page.html page.css page.js payloads.js graph.js)
list(TRANSFORM trellis_page_parts PREPEND "${PROJECT_SOURCE_DIR}/tools/trellis/report_page/")
set(trellis_page_layout "${PROJECT_SOURCE_DIR}/third_party/dagre/dagre.min.js")
set(trellis_page_generator "${PROJECT_SOURCE_DIR}/tools/trellis/report_page/page_to_header.py")
set(trellis_page_header "${PROJECT_BINARY_DIR}/report_page/trellis_report_page.h")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/report_page")
add_custom_command(
  OUTPUT "${trellis_page_header}"
  COMMAND Python3::Interpreter "${trellis_page_generator}" "${PROJECT_SOURCE_DIR}/tools/trellis/report_page"
          "${trellis_page_layout}" "${trellis_page_header}"
  DEPENDS "${trellis_page_generator}" "${trellis_page_layout}" ${trellis_page_parts}
  VERBATIM)
add_custom_target(trellis_report_page_header DEPENDS "${trellis_page_header}")
add_library(trellis_report_page INTERFACE)
add_dependencies(trellis_report_page trellis_report_page_header)
target_include_directories(trellis_report_page INTERFACE "${PROJECT_BINARY_DIR}/report_page")
