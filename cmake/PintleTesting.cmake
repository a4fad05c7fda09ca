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
target_compile_options(pintle_test_pch PRIVATE -O0)
target_precompile_headers(pintle_test_pch PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/pch.h)

# campaigns and benchmarks are no tests: they are built when they are to run, by the targets `campaigns` (scripts/soak)
# and `benchmarks` (scripts/bench) or by name. scripts/check looks whether they would compile.
set(PINTLE_CAMPAIGN EXCLUDE_FROM_ALL)

# pintle_campaigns_target(): targets `benchmarks`, all of bench/, and `campaigns`, these and all programs named …_campaign
function(pintle_campaigns_target)
  set(programs "")
  foreach(folder IN ITEMS tests bridges/yarp bridges/foxglove)
    get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} PROPERTY BUILDSYSTEM_TARGETS)
    list(FILTER targets INCLUDE REGEX "_campaign$")
    list(APPEND programs ${targets})
  endforeach()
  add_custom_target(benchmarks)
  if(PINTLE_BUILD_BENCH)
    get_property(targets DIRECTORY ${PROJECT_SOURCE_DIR}/bench PROPERTY BUILDSYSTEM_TARGETS)
    add_dependencies(benchmarks ${targets})
  endif()
  add_custom_target(campaigns)
  add_dependencies(campaigns benchmarks ${programs})
endfunction()

# most of a test file's build is reading headers and making what foreign templates make: once for up to twelve files
option(PINTLE_TESTS_TOGETHER "Compile the test files of a program up to twelve at a time; OFF builds all more slowly, and one that was changed faster" ON)

# pintle_tests_together(SOURCES): of a list of files, those that are tests are replaced by files that hold up to twelve of
# them (tests_together.cmake). clang-tidy wants to see files alone. Tests that say something outside of their
# namespace, or `testing` where headers of others mean another by it, stay alone.
function(pintle_tests_together SOURCES)
  if(NOT PINTLE_TESTS_TOGETHER OR CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  set(alone "")
  set(tests "")
  foreach(file IN LISTS ${SOURCES})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    if(file MATCHES "_test\\.cpp$" AND NOT file MATCHES "/(fields|encoding|dispatch)_test\\.cpp$")
      list(APPEND tests ${file})
    else()
      list(APPEND alone ${file})
    endif()
  endforeach()
  list(LENGTH tests count)
  math(EXPR parts "(${count} + 11) / 12")
  set(from 0)
  foreach(part RANGE 1 ${parts})
    if(count EQUAL 0)
      break()
    endif()
    # parts of nearly the same length
    math(EXPR length "(${count} - ${from} + ${parts} - ${part}) / (${parts} - ${part} + 1)")
    list(SUBLIST tests ${from} ${length} files)
    math(EXPR from "${from} + ${length}")
    set(together ${CMAKE_CURRENT_BINARY_DIR}/together/${NAME}_${part}.cpp)
    list(JOIN files " " joined)
    add_custom_command(OUTPUT ${together}
      COMMAND ${CMAKE_COMMAND} "-DSOURCES=${joined}" -DOUTPUT=${together} -P ${PROJECT_SOURCE_DIR}/cmake/tests_together.cmake
      DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/tests_together.cmake COMMENT "" VERBATIM)
    # a header beside a test is named without its folder
    list(GET files 0 folder)
    cmake_path(GET folder PARENT_PATH folder)
    set_source_files_properties(${together} PROPERTIES INCLUDE_DIRECTORIES ${folder})
    list(APPEND alone ${together})
  endforeach()
  set(${SOURCES} ${alone} PARENT_SCOPE)
endfunction()

# pintle_test(NAME [SHARDS n] SOURCES files… LINK targets… [LONG tests…]): one GoogleTest program and one ctest entry
# (thousands of short cases would spend their time in process starts). LONG: of them those that are not
# in `make test` but in the campaign long_tests.
function(pintle_test NAME)
  cmake_parse_arguments(TEST "" "SHARDS" "SOURCES;LINK;LONG" ${ARGN})
  pintle_tests_together(TEST_SOURCES)
  add_executable(${NAME} ${TEST_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${TEST_LINK} pintle_flags pintle_testing GTest::gtest_main)
  # what is tested is optimised; of what tests it, that would be half of the build
  target_compile_options(${NAME} PRIVATE -O0)
  target_compile_definitions(${NAME} PRIVATE PINTLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(${NAME} REUSE_FROM pintle_test_pch)
  set(filter "")
  if(TEST_LONG)
    list(JOIN TEST_LONG ":" long)
    set(filter "--gtest_filter=-${long}")
    add_test(NAME ${NAME}_long CONFIGURATIONS long COMMAND ${NAME} --gtest_brief=1 "--gtest_filter=${long}")
    set_tests_properties(${NAME}_long PROPERTIES TIMEOUT 900 LABELS long FAIL_REGULAR_EXPRESSION "] 0 tests")
  endif()
  if(NOT TEST_SHARDS)
    add_test(NAME ${NAME} COMMAND ${NAME} --gtest_brief=1 ${filter})
    set_tests_properties(${NAME} PROPERTIES TIMEOUT 900)
    return()
  endif()
  math(EXPR last "${TEST_SHARDS} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${NAME}_${shard} COMMAND ${NAME} --gtest_brief=1 ${filter})
    set_tests_properties(${NAME}_${shard} PROPERTIES TIMEOUT 900
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${TEST_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

# pintle_costs(NAME=SECONDS…): what tests of this folder took alone, so that ctest begins the longest first, in a fresh build too
function(pintle_costs)
  foreach(each IN LISTS ARGN)
    string(REPLACE "=" ";" each ${each})
    list(GET each 0 name)
    list(GET each 1 seconds)
    if(TEST ${name})
      set_tests_properties(${name} PROPERTIES COST ${seconds})
    endif()
  endforeach()
endfunction()
# those of the rooms, once all are there
cmake_language(DEFER CALL pintle_costs test_yarp=23 test_serial_site=21 test_allocation=13 test_stack=8 test_device=7 test_config=6
  test_telemetry=6 test_console=6)
