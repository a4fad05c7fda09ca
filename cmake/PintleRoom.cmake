# One room is one folder under pintle/, one static library, one namespace and one test program.
#
# Every room gets an include root of its own that holds nothing but itself. A room therefore sees
# exactly the headers of the rooms it links: an arrow that ARCHITECTURE.md does not allow fails to
# compile, even for a header-only include.

# pintle_room(NAME LINK rooms… [PRIVATE libraries…] [PUBLIC libraries…])
function(pintle_room NAME)
  cmake_parse_arguments(ROOM "" "" "LINK;PRIVATE;PUBLIC" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/pintle/${NAME})
  set(root ${PROJECT_BINARY_DIR}/rooms/${NAME})
  file(MAKE_DIRECTORY ${root}/pintle)
  file(CREATE_LINK ${folder} ${root}/pintle/${NAME} SYMBOLIC)

  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    file(WRITE ${root}/empty.cpp "")
    set(sources ${root}/empty.cpp)
  endif()

  add_library(pintle_${NAME} STATIC ${sources})
  add_library(pintle::${NAME} ALIAS pintle_${NAME})
  set_target_properties(pintle_${NAME} PROPERTIES EXPORT_NAME ${NAME} LINKER_LANGUAGE CXX)
  target_include_directories(pintle_${NAME} PUBLIC
    $<BUILD_INTERFACE:${root}> $<INSTALL_INTERFACE:include>)
  foreach(room IN LISTS ROOM_LINK)
    target_link_libraries(pintle_${NAME} PUBLIC pintle_${room})
  endforeach()
  target_link_libraries(pintle_${NAME} PUBLIC ${ROOM_PUBLIC} PRIVATE ${ROOM_PRIVATE} $<BUILD_INTERFACE:pintle_flags>)

  install(TARGETS pintle_${NAME} EXPORT pintle ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${folder}/ DESTINATION include/pintle/${NAME} FILES_MATCHING PATTERN "*.h")

  if(PINTLE_BUILD_TESTS AND tests)
    pintle_test(test_${NAME} SOURCES ${tests} LINK pintle_${NAME})
  endif()
endfunction()

# pintle_test(NAME SOURCES files… LINK targets…): one GoogleTest program, its cases listed one by one in ctest.
function(pintle_test NAME)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${NAME} ${TEST_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${TEST_LINK} pintle_flags pintle_testing GTest::gtest_main)
  target_compile_definitions(${NAME} PRIVATE PINTLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(NOT PINTLE_SANITIZE)
    target_precompile_headers(${NAME} REUSE_FROM pintle_test_pch)
  endif()
  # one ctest entry a program: thousands of short cases would spend their time in process starts
  add_test(NAME ${NAME} COMMAND ${NAME} --gtest_brief=1)
  set_tests_properties(${NAME} PROPERTIES TIMEOUT 300)
endfunction()
