# One room is one folder under pintle/ (a bridge: elsewhere), one static library, one namespace and
# one test program.
#
# Every room gets an include root of its own that holds nothing but itself. A room therefore sees
# exactly the headers of the rooms it links: an arrow that ARCHITECTURE.md does not allow fails to
# compile, even for a header-only include. tests/arrows.sh proves that this is so.

# one precompiled header for all rooms: reading the standard library was half of their build
add_library(pintle_room_pch STATIC ${CMAKE_CURRENT_LIST_DIR}/room_pch.cpp)
target_link_libraries(pintle_room_pch PRIVATE pintle_flags)
# what is defined when it is read must be defined in every room
target_compile_definitions(pintle_flags INTERFACE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
target_precompile_headers(pintle_room_pch PRIVATE ${CMAKE_CURRENT_LIST_DIR}/room_pch.h)
# GCC clears structs of a few hundred bytes, of which a tick has a dozen, by an instruction that takes longer to begin than stores do
set(pintle_room_options "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(pintle_room_options -mmemset-strategy=vector_loop:1024:noalign,libcall:-1:noalign)
endif()
target_compile_options(pintle_room_pch PRIVATE ${pintle_room_options})

# pintle_room(NAME [FOLDER folder] [FOR_TESTS] [AT_ONCE] [TOGETHER most] LINK rooms… [PRIVATE libraries…] [PUBLIC libraries…] [INTERNAL headers…] [TESTS rooms…])
# INTERNAL are headers for sources of the room, or folders of other rooms in it: they are not installed. TESTS: what only its tests need.
# FOR_TESTS: only tests, benchmarks and fuzzers link it; it is not installed, and no arrow of ARCHITECTURE.md leads to it.
# AT_ONCE compiles its sources as one: what a tick calls across them is inlined (a tick has 7 % fewer instructions).
# TOGETHER compiles its sources up to so many at a time, which makes the build shorter (pintle_build_together).
# A folder internal/ holds what is not for users of the room: its headers are installed where public ones hold their types by value.
function(pintle_room NAME)
  cmake_parse_arguments(ROOM "FOR_TESTS;AT_ONCE" "FOLDER;TOGETHER" "LINK;PRIVATE;PUBLIC;INTERNAL;TESTS" ${ARGN})
  if(NOT ROOM_FOLDER)
    set(ROOM_FOLDER pintle/${NAME})
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/${ROOM_FOLDER})
  set_property(GLOBAL PROPERTY PINTLE_FOLDER_OF_${NAME} ${folder})
  set(root ${PROJECT_BINARY_DIR}/rooms/${NAME})
  file(MAKE_DIRECTORY ${root}/pintle)
  file(CREATE_LINK ${folder} ${root}/pintle/${NAME} SYMBOLIC)

  # itself and every room it may see, for the check of the arrows
  set(seen ${NAME})
  foreach(room IN LISTS ROOM_LINK)
    get_property(further GLOBAL PROPERTY PINTLE_SEEN_BY_${room})
    list(APPEND seen ${further})
  endforeach()
  list(REMOVE_DUPLICATES seen)
  set_property(GLOBAL PROPERTY PINTLE_SEEN_BY_${NAME} ${seen})
  if(NOT ROOM_FOR_TESTS)
    set_property(GLOBAL APPEND PROPERTY PINTLE_ROOMS ${NAME})
  endif()

  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/internal/*.cpp)
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
  target_compile_features(pintle_${NAME} PUBLIC cxx_std_20)
  target_compile_options(pintle_${NAME} PRIVATE ${pintle_room_options})
  target_precompile_headers(pintle_${NAME} REUSE_FROM pintle_room_pch)
  if(ROOM_AT_ONCE)
    set_target_properties(pintle_${NAME} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  elseif(ROOM_TOGETHER)
    pintle_build_together(pintle_${NAME} ${ROOM_TOGETHER})
  endif()
  target_include_directories(pintle_${NAME} PUBLIC
    $<BUILD_INTERFACE:${root}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(room IN LISTS ROOM_LINK)
    target_link_libraries(pintle_${NAME} PUBLIC pintle_${room})
  endforeach()
  # a library that was found by its path is installed by its name
  foreach(kind IN ITEMS PUBLIC PRIVATE)
    foreach(library IN LISTS ROOM_${kind})
      if(IS_ABSOLUTE ${library})
        pintle_library_name(${library} name)
        set(library $<BUILD_INTERFACE:${library}> $<INSTALL_INTERFACE:${name}>)
      endif()
      target_link_libraries(pintle_${NAME} ${kind} ${library})
    endforeach()
  endforeach()
  target_link_libraries(pintle_${NAME} PRIVATE $<BUILD_INTERFACE:pintle_flags>)

  if(ROOM_FOR_TESTS)
    set_target_properties(pintle_${NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  # a room can be installed and found alone, with those it sees and the packages that these need
  set(needed ${ROOM_PRIVATE} ${ROOM_PUBLIC})
  list(FILTER needed EXCLUDE REGEX "^/")
  set_property(GLOBAL PROPERTY PINTLE_NEEDED_BY_${NAME} ${needed})
  install(TARGETS pintle_${NAME} EXPORT pintle_${NAME} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${NAME})
  install(EXPORT pintle_${NAME} FILE pintle-room-${NAME}.cmake NAMESPACE pintle::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pintle COMPONENT ${NAME})
  pintle_room_pkg_config(${NAME} "${ROOM_LINK}" "${ROOM_PRIVATE}" "${ROOM_PUBLIC}")
  set(kept)
  foreach(header IN LISTS ROOM_INTERNAL)
    list(APPEND kept PATTERN ${header} EXCLUDE)
  endforeach()
  install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pintle/${NAME} COMPONENT ${NAME} FILES_MATCHING PATTERN "*test*" EXCLUDE ${kept} PATTERN "*.h")

  if(PINTLE_BUILD_TESTS AND tests)
    list(TRANSFORM ROOM_TESTS PREPEND pintle_)
    pintle_test(test_${NAME} SOURCES ${tests} LINK pintle_${NAME} ${ROOM_TESTS})
  endif()
endfunction()

function(pintle_library_name PATH OUT)
  cmake_path(GET PATH STEM LAST_ONLY name)
  string(REGEX REPLACE "^lib" "" name ${name})
  set(${OUT} ${name} PARENT_SCOPE)
endfunction()

# pintle-NAME.pc, for who does not build with CMake. The rooms are static: what they need is needed by who links them.
function(pintle_room_pkg_config NAME ROOMS PRIVATE PUBLIC)
  list(TRANSFORM ROOMS PREPEND pintle- OUTPUT_VARIABLE requires)
  set(libs -lpintle_${NAME})
  foreach(library IN LISTS PRIVATE PUBLIC)
    if(library MATCHES "^(Eigen3::Eigen|nlohmann_json::nlohmann_json)$")
      continue()  # headers, of sources alone
    elseif(library STREQUAL Threads::Threads)
      list(APPEND libs -pthread)
    elseif(library STREQUAL PkgConfig::ZSTD)
      list(APPEND requires libzstd)
    elseif(library MATCHES "::|^yaml-cpp$")
      string(REGEX REPLACE "^.*::" "" library ${library})
      list(APPEND requires ${library})
    elseif(IS_ABSOLUTE ${library})
      pintle_library_name(${library} library)
      list(APPEND libs -l${library})
    else()
      list(APPEND libs -l${library})
    endif()
  endforeach()
  list(JOIN requires " " requires)
  list(JOIN libs " " libs)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY ${CMAKE_INSTALL_DATADIR}/pkgconfig OUTPUT_VARIABLE include)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_DATADIR}/pkgconfig OUTPUT_VARIABLE lib)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/pkgconfig/pintle-${NAME}.pc @ONLY CONTENT [[
includedir=${pcfiledir}/@include@
libdir=${pcfiledir}/@lib@

Name: pintle-@NAME@
Description: Room @NAME@ of Pintle, a control stack for vehicles that move by thrust
Version: @PROJECT_VERSION@
Requires: @requires@
Cflags: -I${includedir}
Libs: -L${libdir} @libs@
]])
  install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/pintle-${NAME}.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig COMPONENT ${NAME})
endfunction()

# What pintle-config.cmake knows of each room, in the order in which they may be loaded.
function(pintle_room_table OUT)
  get_property(rooms GLOBAL PROPERTY PINTLE_ROOMS)
  set(table "set(pintle_rooms ${rooms})\n")
  foreach(room IN LISTS rooms)
    get_property(seen GLOBAL PROPERTY PINTLE_SEEN_BY_${room})
    set(needed)
    foreach(other IN LISTS seen)
      get_property(some GLOBAL PROPERTY PINTLE_NEEDED_BY_${other})
      list(APPEND needed ${some})
    endforeach()
    list(REMOVE_DUPLICATES needed)
    string(APPEND table "set(pintle_seen_by_${room} ${seen})\nset(pintle_needed_by_${room} ${needed})\n")
  endforeach()
  set(${OUT} "${table}" PARENT_SCOPE)
endfunction()
