# SPDX-License-Identifier: Apache-2.0
# One target per room: peerfab_room(NAME sim_base SOURCES a.cpp DEPENDS sim_other fmt::fmt)
# A room with headers only is an INTERFACE library.
function(peerfab_room)
  cmake_parse_arguments(ROOM "" "NAME" "SOURCES;DEPENDS" ${ARGN})
  if(ROOM_SOURCES)
    add_library(${ROOM_NAME} STATIC ${ROOM_SOURCES})
    target_include_directories(${ROOM_NAME} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${ROOM_NAME} PUBLIC ${ROOM_DEPENDS})
    peerfab_warnings(${ROOM_NAME})
  else()
    add_library(${ROOM_NAME} INTERFACE)
    target_include_directories(${ROOM_NAME} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${ROOM_NAME} INTERFACE ${ROOM_DEPENDS})
  endif()
endfunction()

# Warnings are errors, per target, so that a dependency's headers stay out of it.
# -ffp-contract=off: results must be byte-identical on every machine.
function(peerfab_warnings TARGET)
  target_compile_options(${TARGET} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wconversion
                                           -Werror -ffp-contract=off)
endfunction()

# peerfab_test(NAME unit_sim_base SOURCES a_test.cpp DEPENDS sim_base)
# Every test case runs in its own process: SystemC has one kernel per process.
function(peerfab_test)
  cmake_parse_arguments(TEST "" "NAME;LABEL" "SOURCES;DEPENDS" ${ARGN})
  if(NOT PEERFAB_BUILD_TESTS)
    return()
  endif()
  add_executable(${TEST_NAME} ${TEST_SOURCES})
  target_link_libraries(${TEST_NAME} PRIVATE ${TEST_DEPENDS} peerfab_catch)
  peerfab_warnings(${TEST_NAME})
  if(NOT TEST_LABEL)
    set(TEST_LABEL unit)
  endif()
  catch_discover_tests(${TEST_NAME} TEST_PREFIX "${TEST_NAME}: " PROPERTIES LABELS ${TEST_LABEL})
endfunction()
