# SPDX-License-Identifier: Apache-2.0
# The objects of AVX2 and AVX-512 may share no function with the others: of two copies the linker keeps one, and it could be the one
# whose instructions this processor lacks. Weak symbols must carry the instruction set in their names.
#   cmake -DNM=nm "-DOBJECTS=a.o;b.o" -P check_level_symbols.cmake
foreach(object IN LISTS OBJECTS)
  if(NOT object MATCHES "cpu_avx(2|512)")
    continue()
  endif()
  execute_process(COMMAND ${NM} ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9a-f]+ [WVu] [^\n]+" weak "${symbols}")
  foreach(line IN LISTS weak)
    if(NOT line MATCHES "N_AVX|DW.ref")
      message(SEND_ERROR "${object} shares a function with other objects: ${line}")
    endif()
  endforeach()
endforeach()
