# Installs BUILD into a folder, then configures, builds and runs SOURCE against it.
set(scratch ${BUILD}/consumer)
file(REMOVE_RECURSE ${scratch})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${scratch}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${scratch}/prefix)
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/consumer)
message("${output}")
