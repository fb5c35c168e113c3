# SPDX-License-Identifier: Apache-2.0
# Cross compiling for aarch64 on Debian: `dpkg --add-architecture arm64`, then g++-aarch64-linux-gnu and the libraries' :arm64 packages.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# With QEMU's user emulation, the program itself makes the manual page and the completion.
find_program(RLVERIFY_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(RLVERIFY_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${RLVERIFY_QEMU})
endif()
