# What a package of the bridge is made of. PINTLE_ROS1_ROOT is the folder that `source setup.bash`
# speaks of: share/PACKAGE as ROS's tools want it (with the node programs inside), python/, include/.
set(PINTLE_ROS1_ROOT ${PROJECT_BINARY_DIR}/ros1)
# and where the same folder lies below an installed prefix: programs and data of one package are one folder
set(PINTLE_ROS1_INSTALL lib/pintle/ros1)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME ros1)

# all headers that are made from messages: what clang-tidy needs and no build has made yet
add_custom_target(ros1_generated)

# pintle_ros1_package(NAME [FOR_TESTS] [DEPENDS message packages…]): shows packages/NAME to ROS's tools and, if
# it has msg/, srv/ or action/, generates them: target ros1_NAME for C++, and Python modules. A
# package has messages or actions, not both. FOR_TESTS: it is not installed.
function(pintle_ros1_package NAME)
  cmake_parse_arguments(PKG "FOR_TESTS" "" "DEPENDS" ${ARGN})
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/packages/${NAME})
  set(share ${PINTLE_ROS1_ROOT}/share/${NAME})
  file(MAKE_DIRECTORY ${share})
  foreach(part IN ITEMS package.xml msg srv action launch scripts)
    if(EXISTS ${source}/${part})
      file(CREATE_LINK ${source}/${part} ${share}/${part} SYMBOLIC)
    endif()
  endforeach()

  if(NOT PKG_FOR_TESTS)
    # what a node may rewrite comes by pintle_ros1_keep
    install(DIRECTORY ${source} DESTINATION ${PINTLE_ROS1_INSTALL}/share PATTERN config EXCLUDE)
  endif()

  file(GLOB definitions CONFIGURE_DEPENDS ${source}/msg/*.msg ${source}/srv/*.srv
    ${source}/action/*.action)
  if(NOT definitions)
    return()
  endif()
  set(include "")
  foreach(other IN LISTS PKG_DEPENDS)
    list(APPEND include -I ${other}:/usr/share/${other}/msg)
  endforeach()
  set(headers "")
  set(messages "")
  foreach(file IN LISTS definitions)
    get_filename_component(type ${file} NAME_WE)
    list(APPEND headers ${PINTLE_ROS1_ROOT}/include/${NAME}/${type}.h)
    if(file MATCHES "\\.action$")
      set(messages --messages ${share}/msg)
      list(POP_BACK headers)
      foreach(part IN ITEMS Action Goal Result Feedback ActionGoal ActionResult ActionFeedback)
        list(APPEND headers ${PINTLE_ROS1_ROOT}/include/${NAME}/${type}${part}.h)
      endforeach()
    endif()
  endforeach()
  add_custom_command(OUTPUT ${headers} ${PINTLE_ROS1_ROOT}/python/${NAME}/__init__.py
    COMMAND /usr/bin/python3 ${PINTLE_ROS1_DIR}/cmake/generate.py ${source}
      --cpp ${PINTLE_ROS1_ROOT}/include --python ${PINTLE_ROS1_ROOT}/python ${messages} ${include}
    DEPENDS ${definitions} ${PINTLE_ROS1_DIR}/cmake/generate.py
    COMMENT "ROS 1 messages of ${NAME}" VERBATIM)
  add_custom_target(ros1_${NAME}_generated ALL DEPENDS ${headers})
  add_dependencies(ros1_generated ros1_${NAME}_generated)
  foreach(kind IN ITEMS include python)
    install(DIRECTORY ${PINTLE_ROS1_ROOT}/${kind}/${NAME} DESTINATION ${PINTLE_ROS1_INSTALL}/${kind} PATTERN __pycache__ EXCLUDE)
  endforeach()
  if(messages)
    install(DIRECTORY ${share}/msg DESTINATION ${PINTLE_ROS1_INSTALL}/share/${NAME})
  endif()
  add_library(ros1_${NAME} INTERFACE)
  target_include_directories(ros1_${NAME} SYSTEM INTERFACE ${PINTLE_ROS1_ROOT}/include)
  add_dependencies(ros1_${NAME} ros1_${NAME}_generated)
endfunction()

# pintle_ros1_keep(SOURCE DESTINATION): copies a file that a node may rewrite. What was saved since
# the last copy is never overwritten; an untouched copy follows its source. So does what is installed.
function(pintle_ros1_keep SOURCE DESTINATION)
  cmake_path(RELATIVE_PATH DESTINATION BASE_DIRECTORY ${PINTLE_ROS1_ROOT} OUTPUT_VARIABLE below)
  install(CODE "set(PINTLE_KEEP \"${SOURCE}\" \"${PINTLE_ROS1_INSTALL}\" \"${below}\")
    include(\"${PINTLE_ROS1_DIR}/cmake/install_kept.cmake\")")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SOURCE})
  file(SHA256 ${SOURCE} fresh)
  if(EXISTS ${DESTINATION})
    file(SHA256 ${DESTINATION} present)
    set(given "")
    get_filename_component(name ${DESTINATION} NAME)
    set(note ${PINTLE_ROS1_ROOT}/given/${name}.sha256)
    if(EXISTS ${note})
      file(READ ${note} given)
    endif()
    if(NOT present STREQUAL given)
      return()
    endif()
  endif()
  get_filename_component(folder ${DESTINATION} DIRECTORY)
  get_filename_component(name ${DESTINATION} NAME)
  file(MAKE_DIRECTORY ${folder})
  configure_file(${SOURCE} ${DESTINATION} COPYONLY)
  file(WRITE ${PINTLE_ROS1_ROOT}/given/${name}.sha256 ${fresh})
endfunction()

# pintle_ros1_core(NAME SOURCES… LINK…): logic without ROS types, C++20. Its headers are the border
# between two languages: they must be clean C++17 and include nothing of Pintle's rooms.
function(pintle_ros1_core NAME)
  cmake_parse_arguments(CORE "" "" "SOURCES;LINK" ${ARGN})
  add_library(${NAME} STATIC ${CORE_SOURCES})
  target_include_directories(${NAME} PUBLIC ${PINTLE_ROS1_DIR})
  target_link_libraries(${NAME} PRIVATE ${CORE_LINK} pintle_flags)
  # as rooms are built
  target_compile_options(${NAME} PRIVATE ${pintle_room_options})
  target_precompile_headers(${NAME} REUSE_FROM pintle_room_pch)
  pintle_build_together(${NAME})
endfunction()

# pintle_ros1_shell(TARGET): what has ROS's headers, C++17. They are nearly all of its build, and read once for all programs.
function(pintle_ros1_shell TARGET)
  set_target_properties(${TARGET} PROPERTIES CXX_STANDARD 17 POSITION_INDEPENDENT_CODE OFF)
  # ROS's log names the source file; of the machine that built it nobody needs to know
  target_compile_options(${TARGET} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  pintle_build_fast(${TARGET})
  pintle_build_together(${TARGET})
  if(NOT "${TARGET}" STREQUAL pintle_ros1)
    target_precompile_headers(${TARGET} REUSE_FROM pintle_ros1)
  endif()
endfunction()

# pintle_ros1_link(NAME TARGET): a symbolic link of the build tree, to TARGET, and of the prefix, to the same below share/pintle
function(pintle_ros1_link NAME TARGET)
  get_filename_component(folder ${NAME} DIRECTORY)
  file(MAKE_DIRECTORY ${PINTLE_ROS1_ROOT}/${folder} ${PINTLE_ROS1_ROOT}/installed/${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${TARGET} ${PINTLE_ROS1_ROOT}/${NAME} SYMBOLIC)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_DATADIR BASE_DIRECTORY ${PINTLE_ROS1_INSTALL}/${folder} OUTPUT_VARIABLE up)
  file(CREATE_LINK ${up}/pintle/${TARGET} ${PINTLE_ROS1_ROOT}/installed/${NAME} SYMBOLIC)
  install(FILES ${PINTLE_ROS1_ROOT}/installed/${NAME} DESTINATION ${PINTLE_ROS1_INSTALL}/${folder})
endfunction()

# pintle_ros1_node(NAME PACKAGE package [FOR_TESTS] SOURCES… LINK…): a node program, C++17, where rosrun and
# roslaunch find it.
function(pintle_ros1_node NAME)
  cmake_parse_arguments(NODE "FOR_TESTS" "PACKAGE" "SOURCES;LINK" ${ARGN})
  add_executable(ros1_node_${NAME} ${NODE_SOURCES})
  target_link_libraries(ros1_node_${NAME} PRIVATE pintle_ros1 ${NODE_LINK} pintle_flags)
  set_target_properties(ros1_node_${NAME} PROPERTIES OUTPUT_NAME ${NAME}
    RUNTIME_OUTPUT_DIRECTORY ${PINTLE_ROS1_ROOT}/share/${NODE_PACKAGE})
  pintle_ros1_shell(ros1_node_${NAME})
  if(NOT NODE_FOR_TESTS)
    install(TARGETS ros1_node_${NAME} RUNTIME DESTINATION ${PINTLE_ROS1_INSTALL}/share/${NODE_PACKAGE})
  endif()
endfunction()

# pintle_ros1_test(NAME [LONG] [TIMEOUT seconds]): test/NAME_test.py, driven by /usr/bin/python3 against a
# rosmaster of its own (see test/ros.py). LONG: not in `make test` but in the campaign long_tests.
function(pintle_ros1_test NAME)
  cmake_parse_arguments(TEST "LONG" "TIMEOUT" "" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 900)
  endif()
  set(labels ros1)
  set(configurations "")
  if(TEST_LONG)
    list(APPEND labels long)
    set(configurations CONFIGURATIONS long)
  endif()
  add_test(NAME ros1_${NAME} ${configurations} COMMAND /usr/bin/python3 -B ${PINTLE_ROS1_DIR}/test/${NAME}_test.py)
  set_tests_properties(ros1_${NAME} PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS "${labels}" COST 20
    ENVIRONMENT "PINTLE_ROS1_ROOT=${PINTLE_ROS1_ROOT};PINTLE_SOURCE_DIR=${PROJECT_SOURCE_DIR}$<$<TARGET_EXISTS:pintle_mujoco>:;PINTLE_HAS_MUJOCO=1>")
endfunction()
