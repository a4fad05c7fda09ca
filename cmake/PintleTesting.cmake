# GoogleTest, and one precompiled header that every test program shares.
find_package(GTest REQUIRED)

# traps floating-point exceptions where a test asks for it, counts heap allocations: see tests/support
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/rooms/testing/pintle)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tests/support ${PROJECT_BINARY_DIR}/rooms/testing/pintle/testing SYMBOLIC)
add_library(pintle_testing STATIC ${PROJECT_SOURCE_DIR}/tests/support/heap_counter.cpp)
target_include_directories(pintle_testing PUBLIC ${PROJECT_BINARY_DIR}/rooms/testing)
target_link_libraries(pintle_testing PRIVATE pintle_flags)

if(NOT PINTLE_SANITIZE)
  add_library(pintle_test_pch STATIC ${PROJECT_SOURCE_DIR}/tests/support/pch.cpp)
  target_link_libraries(pintle_test_pch PRIVATE pintle_flags GTest::gtest)
  target_compile_definitions(pintle_test_pch PRIVATE PINTLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_precompile_headers(pintle_test_pch PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/pch.h)
endif()
