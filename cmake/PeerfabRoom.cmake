# SPDX-License-Identifier: Apache-2.0
# The functions that make the project's targets: peerfab_room, peerfab_test, peerfab_warnings.

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

# Warnings per target, so that they never reach into a dependency.
# -ffp-contract=off: results must be byte-identical on every machine.
function(peerfab_warnings TARGET)
  target_compile_options(${TARGET} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wconversion
                                           -ffp-contract=off)
  if(PEERFAB_WARNINGS_AS_ERRORS)
    target_compile_options(${TARGET} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 reports overlapping copies inside std::string's operator+ that cannot happen
    # (its bug 105651, mended in 13).
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${TARGET} PRIVATE -Wno-restrict)
    endif()
    # The sanitizers' own code hides initialisations from the optimiser; GCC's manual says that
    # these warnings are not to be trusted then. The dev build keeps them.
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
      target_compile_options(${TARGET} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()

# All tests with the label unit, for the build that runs only those: the sanitizers' in the gate.
if(PEERFAB_BUILD_TESTS)
  add_custom_target(unit_tests)
endif()

# peerfab_test(NAME unit_sim_base SOURCES a_test.cpp DEPENDS sim_base [LABEL unit])
# Every test case runs in its own process: SystemC has one kernel per process.
function(peerfab_test)
  cmake_parse_arguments(TEST "" "NAME;LABEL" "SOURCES;DEPENDS" ${ARGN})
  if(NOT PEERFAB_BUILD_TESTS)
    return()
  endif()
  add_executable(${TEST_NAME} ${TEST_SOURCES})
  set_target_properties(${TEST_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                ${PROJECT_BINARY_DIR}/tests/bin)
  target_link_libraries(${TEST_NAME} PRIVATE ${TEST_DEPENDS} peerfab_catch)
  peerfab_warnings(${TEST_NAME})
  if(NOT TEST_LABEL)
    set(TEST_LABEL unit)
  endif()
  if("unit" IN_LIST TEST_LABEL)
    add_dependencies(unit_tests ${TEST_NAME})
  endif()
  catch_discover_tests(
    ${TEST_NAME}
    TEST_PREFIX "${TEST_NAME}/"
    PROPERTIES LABELS ${TEST_LABEL})
endfunction()
