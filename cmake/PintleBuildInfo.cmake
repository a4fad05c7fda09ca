# Version, commit and compiler, for the metadata of logs. The header is looked at again in every build, and written only when
# it changes: a log never names an older commit than the one it was built from. A dirty tree says so.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(build_info ${PROJECT_BINARY_DIR}/generated/pintle/flight/build_info.h)
  add_custom_target(pintle_build_info
    COMMAND ${CMAKE_COMMAND}
      -DPROJECT_SOURCE_DIR=${PROJECT_SOURCE_DIR} -DPROJECT_VERSION=${PROJECT_VERSION}
      -DCMAKE_CXX_COMPILER_ID=${CMAKE_CXX_COMPILER_ID} -DCMAKE_CXX_COMPILER_VERSION=${CMAKE_CXX_COMPILER_VERSION}
      -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DOUTPUT=${build_info} -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${build_info}
    COMMENT "" VERBATIM)
  return()
endif()

# the tree may belong to somebody else than the user who builds (a container, a mounted folder)
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} -c safe.directory=${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE PINTLE_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT PINTLE_COMMIT)
  set(PINTLE_COMMIT "unknown")
endif()
configure_file(${PROJECT_SOURCE_DIR}/pintle/flight/build_info.h.in ${OUTPUT} @ONLY)
