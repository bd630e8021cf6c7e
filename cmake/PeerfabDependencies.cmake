# SPDX-License-Identifier: Apache-2.0
# Everything comes from the distribution's packages (their names: tools/lib/packages.sh).
# Targets made here: peerfab_systemc and, with the tests, peerfab_catch.
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost 1.74 REQUIRED CONFIG) # Graph, Histogram and Container: headers only
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# yaml-cpp 0.7 exports the plain name only; 0.8 warns about it.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

# SystemC has no CMake package in Debian.
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc>=2.3.4)

# An object of SystemC links only where SC_CPLUSPLUS is the C++ standard that the library was built
# with; left alone it is our own, C++20. Debian's 2.3.4 and 3.0.1 were built as C++17. Linking tells.
function(peerfab_find_systemc_standard RESULT)
  if(DEFINED PEERFAB_SYSTEMC_STANDARD)
    set(${RESULT} ${PEERFAB_SYSTEMC_STANDARD} PARENT_SCOPE)
    return()
  endif()
  foreach(STANDARD 201703L 202002L 201402L)
    file(WRITE ${PROJECT_BINARY_DIR}/systemc_probe.cpp
         "#include <systemc>\nextern \"C\" int sc_main(int, char**) { return 0; }\n")
    try_compile(
      PEERFAB_SYSTEMC_LINKS ${PROJECT_BINARY_DIR}/systemc_probe
      SOURCES ${PROJECT_BINARY_DIR}/systemc_probe.cpp
      COMPILE_DEFINITIONS -DSC_CPLUSPLUS=${STANDARD}
      LINK_LIBRARIES PkgConfig::SYSTEMC Threads::Threads
      CXX_STANDARD 20
      CXX_STANDARD_REQUIRED ON
      OUTPUT_VARIABLE PROBE_OUTPUT)
    set(PROBE_LINKS ${PEERFAB_SYSTEMC_LINKS})
    unset(PEERFAB_SYSTEMC_LINKS CACHE)
    if(PROBE_LINKS)
      message(STATUS "SystemC ${SYSTEMC_VERSION} was built with C++ standard ${STANDARD}")
      set(PEERFAB_SYSTEMC_STANDARD ${STANDARD}
          CACHE STRING "C++ standard that the SystemC library was built with")
      set(${RESULT} ${STANDARD} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "A small SystemC program does not link with SystemC ${SYSTEMC_VERSION}:\n"
                      "${PROBE_OUTPUT}")
endfunction()
peerfab_find_systemc_standard(SYSTEMC_STANDARD)

# An OBJECT library: SystemC's shared library refers to sc_main, and a linker does not look into
# static libraries for what a shared one lacks.
add_library(peerfab_systemc_support OBJECT ${PROJECT_SOURCE_DIR}/cmake/systemc_support.cpp)
peerfab_warnings(peerfab_systemc_support)

add_library(peerfab_systemc INTERFACE)
target_link_libraries(
  peerfab_systemc INTERFACE $<TARGET_OBJECTS:peerfab_systemc_support> PkgConfig::SYSTEMC
                            Threads::Threads)
# SC_HAS_PROCESS is needed by 2.3.4 and deprecated by 3; the second definition silences that.
target_compile_definitions(peerfab_systemc INTERFACE SC_CPLUSPLUS=${SYSTEMC_STANDARD}
                                                     SC_ALLOW_DEPRECATED_IEEE_API)

if(PEERFAB_BUILD_TESTS)
  find_package(Catch2 REQUIRED)
  include(Catch)
  add_library(peerfab_catch INTERFACE)
  target_include_directories(peerfab_catch INTERFACE ${PROJECT_SOURCE_DIR})
  if(Catch2_VERSION VERSION_LESS 3)
    add_library(peerfab_catch_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/catch_main.cpp)
    target_link_libraries(peerfab_catch_main PUBLIC Catch2::Catch2)
    target_include_directories(peerfab_catch_main PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(peerfab_catch INTERFACE Catch2::Catch2
                                                  $<TARGET_OBJECTS:peerfab_catch_main>)
    target_compile_definitions(peerfab_catch INTERFACE PEERFAB_CATCH2_V2)
  else()
    # Whole: SystemC's shared library has a main() too, and where it comes first on the link line,
    # the linker would leave Catch2's in its archive.
    target_link_libraries(peerfab_catch
                          INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,Catch2::Catch2WithMain>)
  endif()
endif()
if(PEERFAB_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
