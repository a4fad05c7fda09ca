# GoogleTest, and one precompiled header that every test program shares.
find_package(GTest REQUIRED)

# counts heap allocations: see tests/support
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/rooms/testing/pintle)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tests/support ${PROJECT_BINARY_DIR}/rooms/testing/pintle/testing SYMBOLIC)
add_library(pintle_testing STATIC ${PROJECT_SOURCE_DIR}/tests/support/heap_counter.cpp)
target_include_directories(pintle_testing PUBLIC ${PROJECT_BINARY_DIR}/rooms/testing)
target_link_libraries(pintle_testing PRIVATE pintle_flags)

add_library(pintle_test_pch STATIC ${PROJECT_SOURCE_DIR}/tests/support/pch.cpp)
target_link_libraries(pintle_test_pch PRIVATE pintle_flags GTest::gtest)
target_compile_definitions(pintle_test_pch PRIVATE PINTLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
# programs and this library must be compiled alike for the header to be shared: with the compiler's own default
set_target_properties(pintle_test_pch PROPERTIES POSITION_INDEPENDENT_CODE OFF)
pintle_build_fast(pintle_test_pch)
target_precompile_headers(pintle_test_pch PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/pch.h)

# campaigns and benchmarks are no tests: the sanitizers build them when somebody asks for them by name
set(PINTLE_CAMPAIGN "")
if(PINTLE_SANITIZE)
  set(PINTLE_CAMPAIGN EXCLUDE_FROM_ALL)
endif()

# pintle_test(NAME SOURCES files… LINK targets…): one GoogleTest program and one ctest entry
# (thousands of short cases would spend their time in process starts).
function(pintle_test NAME)
  cmake_parse_arguments(TEST "" "SHARDS" "SOURCES;LINK" ${ARGN})
  add_executable(${NAME} ${TEST_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${TEST_LINK} pintle_flags pintle_testing GTest::gtest_main)
  pintle_build_fast(${NAME})
  target_compile_definitions(${NAME} PRIVATE PINTLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(${NAME} REUSE_FROM pintle_test_pch)
  if(NOT TEST_SHARDS)
    add_test(NAME ${NAME} COMMAND ${NAME} --gtest_brief=1)
    set_tests_properties(${NAME} PROPERTIES TIMEOUT 900)
    return()
  endif()
  math(EXPR last "${TEST_SHARDS} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${NAME}_${shard} COMMAND ${NAME} --gtest_brief=1)
    set_tests_properties(${NAME}_${shard} PROPERTIES TIMEOUT 900
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${TEST_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()
