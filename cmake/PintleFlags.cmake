# Flags of our own code. No -march=native (what ships must run elsewhere) and no contraction of
# a*b+c into one rounding (replay is bit-exact across builds of the same source).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(PINTLE_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined or thread")
# errors with the compilers that we build with; a newer one that warns about more must not stop anybody
set(known_compiler OFF)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.") OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^14\\."))
  set(known_compiler ON)
endif()
option(PINTLE_WERROR "Treat warnings as errors" ${known_compiler})

# frame pointers and contraction must agree in everything that is linked together
add_compile_options(-ffp-contract=off)
# nobody asks errno after sqrt: that is a branch at each (a tick has 0.7 % fewer instructions, and the same bits)
add_compile_options(-fno-math-errno)
# what says where in the source it was (__FILE__) says it from the project's folder: programs that are installed name no folder of this machine
add_compile_options(-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
# position-independent code may still inline its own functions (clang does so anyway)
add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
# half the time of a link, and there are two hundred; it comes with binutils
find_program(PINTLE_GOLD ld.gold)
mark_as_advanced(PINTLE_GOLD)
if(PINTLE_GOLD AND NOT PINTLE_SANITIZE)
  add_link_options(-fuse-ld=gold)
endif()
if(PINTLE_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  message(FATAL_ERROR "GCC's thread sanitizer crashes before main where a function has a clone for each processor (pintle/allocation): CMAKE_CXX_COMPILER=clang++, as preset tsan has it")
endif()
if(PINTLE_SANITIZE)
  # what is left out of "undefined" ends in a fault at once or cannot happen on the machines that we run on, and costs a quarter of the build
  add_compile_options(-fsanitize=${PINTLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    -fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute)
  add_compile_definitions(PINTLE_SANITIZED=1)
  add_link_options(-fsanitize=${PINTLE_SANITIZE})
endif()

add_library(pintle_flags INTERFACE)
target_compile_options(pintle_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow
  # false alarms of GCC 12 on std::string and std::optional (GCC bugs 105651, 105562 and kin); the sanitizer builds look for real ones
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds>
  # the allocator compares without branches
  $<$<CXX_COMPILER_ID:Clang>:-Wno-bitwise-instead-of-logical>
  $<$<BOOL:${PINTLE_WERROR}>:-Werror>)

# pintle_build_fast(TARGET): code that is not hot (the command line) takes half the time to build at -O1; under
# the sanitizers, which make much of little, at -O0.
function(pintle_build_fast TARGET)
  target_compile_options(${TARGET} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(PINTLE_SANITIZE)
    target_compile_options(${TARGET} PRIVATE -O0)
  endif()
endfunction()

# pintle_build_together(TARGET [MOST]): its files are compiled up to MOST (8) at a time, since what foreign templates make is most
# of its build and each file alone would make it again. Names without linkage must differ then. A file with options or definitions
# of its own stays alone. clang-tidy wants to see files alone, and GCC asks of a file in another what it asks of a header.
function(pintle_build_together TARGET)
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    set(most 8)
    if(ARGC GREATER 1)
      set(most ${ARGV1})
    endif()
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${most})
    target_compile_options(${TARGET} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
