list(APPEND TRELLIS_LAYER_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/batch_planner.cpp
  ${CMAKE_CURRENT_LIST_DIR}/describe_report.cpp
  ${CMAKE_CURRENT_LIST_DIR}/device_dispatch_plan.cpp
  ${CMAKE_CURRENT_LIST_DIR}/dispatch_plan.cpp
  ${CMAKE_CURRENT_LIST_DIR}/entry_inputs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/internal_kernels.cpp
  ${CMAKE_CURRENT_LIST_DIR}/launch_batches.cpp
  ${CMAKE_CURRENT_LIST_DIR}/launch_size.cpp
  ${CMAKE_CURRENT_LIST_DIR}/level_planner.cpp
  ${CMAKE_CURRENT_LIST_DIR}/loss_reports.cpp
  ${CMAKE_CURRENT_LIST_DIR}/recorder.cpp
  ${CMAKE_CURRENT_LIST_DIR}/relocatable_plan.cpp
  ${CMAKE_CURRENT_LIST_DIR}/replay.cpp
  ${CMAKE_CURRENT_LIST_DIR}/step_planner.cpp
  ${CMAKE_CURRENT_LIST_DIR}/timing.cpp
)
