# Version, commit and compiler, for the metadata of logs. Taken at configure time; a dirty tree says so.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE PINTLE_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT PINTLE_COMMIT)
  set(PINTLE_COMMIT "unknown")
endif()
configure_file(${PROJECT_SOURCE_DIR}/pintle/stack/build_info.h.in
  ${PROJECT_BINARY_DIR}/generated/pintle/stack/build_info.h @ONLY)
