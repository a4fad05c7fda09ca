# Writes OUTPUT: the test files SOURCES (separated by blanks) as one, each of them in a namespace of its own within the one
# that it is in, so that helpers of two files may have one name. Lines and file names stay what they are.
separate_arguments(SOURCES)
set(all "")
foreach(file IN LISTS SOURCES)
  file(READ ${file} text)
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" name ${file})
  string(REPLACE "\nnamespace {\n" "\nnamespace in${name} { namespace {\n" text "${text}")
  string(REPLACE "\n}  // namespace\n" "\n}}  // namespace\n" text "${text}")
  string(APPEND all "#line 1 \"${file}\"\n${text}")
endforeach()
file(WRITE ${OUTPUT} "${all}")
