# `make deb`: packages of what was built, for the Debian that it was built on.
#   pintle          the command, its vehicles, missions and worlds
#   libpintle-dev   the rooms, to link with
#   pintle-ros1     the nodes, messages and launch files of ROS 1, where they were built
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pintle)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "control stack for vehicles that move by thrust")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Pintle <pintle@example.org>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(same "pintle (= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME pintle)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "Turns setpoints into wrenches, wrenches into thrusts and thrusts into commands
for underwater vehicles, ships, turbines, rockets and multirotors: the same in
simulation, on hardware and in replay. With vehicles, missions and worlds.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpintle-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libeigen3-dev, libyaml-cpp-dev, libfmt-dev, libzstd-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "nlohmann-json3-dev, libmujoco-dev, libsdformat-dev, libopencv-contrib-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Allocation, control laws, propulsor models, estimation, missions and the tick
as static libraries, each of which can be used alone, from CMake or with
pkg-config. Those that read SDF, simulate with MuJoCo or search pictures need
the suggested packages.")

set(CPACK_DEBIAN_ROS1_PACKAGE_NAME pintle-ros1)
set(CPACK_DEBIAN_ROS1_PACKAGE_SECTION science)
set(CPACK_DEBIAN_ROS1_PACKAGE_DEPENDS "${same}, python3-roslaunch, rosbash, python3-rospy, python3-genpy, python3-std-msgs, python3-geometry-msgs, python3-actionlib-msgs")
set(CPACK_DEBIAN_ROS1_DESCRIPTION "Takes the place of the packages controls, sub8_thruster_mapper,
sub8_videoray_m5_thruster and jet: the same topics, services, message sums and
files. Source /usr/lib/pintle/ros1/setup.bash to use it.")
# what Python has compiled belongs to no package
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/prerm @ONLY CONTENT [[#!/bin/sh
set -e
find /usr/lib/pintle/ros1 -name __pycache__ -prune -exec rm -r -- {} +
]] NEWLINE_STYLE UNIX)
file(CHMOD ${PROJECT_BINARY_DIR}/debian/prerm PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_ROS1_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/prerm)

# what every package says of itself
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/copyright @ONLY CONTENT [[
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: pintle

Files: *
Copyright: 2025-2026 the authors of Pintle
License: Apache-2.0
 On Debian systems the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
]])
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/changelog @ONLY CONTENT [[
pintle (@PROJECT_VERSION@) unstable; urgency=medium

  * What changed is told in CHANGELOG.md of the sources.

 -- @CPACK_PACKAGE_CONTACT@  @today@
]])
execute_process(COMMAND gzip -9nkf ${PROJECT_BINARY_DIR}/debian/changelog COMMAND_ERROR_IS_FATAL ANY)

get_property(rooms GLOBAL PROPERTY PINTLE_ROOMS)
set(CPACK_COMPONENTS_ALL command ${rooms})
if(TARGET pintle_ros1)
  list(APPEND CPACK_COMPONENTS_ALL ros1)
endif()
foreach(package IN ITEMS pintle:command libpintle-dev:base pintle-ros1:ros1)
  string(REPLACE ":" ";" package ${package})
  list(GET package 1 component)
  list(GET package 0 package)
  install(FILES ${PROJECT_BINARY_DIR}/debian/copyright ${PROJECT_BINARY_DIR}/debian/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

include(CPack)
cpack_add_component(command GROUP command)
foreach(room IN LISTS rooms)
  cpack_add_component(${room} GROUP development)
endforeach()
cpack_add_component(ros1 GROUP ros1)
