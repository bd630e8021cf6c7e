# SPDX-License-Identifier: Apache-2.0
# Presets become part of the program, so that the binary works without the source tree.
#
# Included: peerfab_embed_presets(OUTPUT file.cpp DIRECTORY topologies/presets) writes the definition
# of embedded_presets() again whenever one of the directory's *.yaml changes, comes or goes.
# Run by `cmake -P` with OUTPUT, ROOT and FILES (joined by '|'): writes it.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(PEERFAB_EMBED_PRESETS_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(peerfab_embed_presets)
    cmake_parse_arguments(EMBED "" "OUTPUT;DIRECTORY" "" ${ARGN})
    # The only glob of the build: a preset is data, and whoever adds one should not need CMake.
    file(GLOB FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${EMBED_DIRECTORY}/*.yaml)
    list(SORT FILES)
    list(JOIN FILES "|" JOINED)
    # The list itself is an input: a removed file leaves no newer one behind.
    file(CONFIGURE OUTPUT ${EMBED_OUTPUT}.list CONTENT "${JOINED}\n")
    add_custom_command(
      OUTPUT ${EMBED_OUTPUT}
      COMMAND ${CMAKE_COMMAND} -DOUTPUT=${EMBED_OUTPUT} -DROOT=${PROJECT_SOURCE_DIR}
              -DFILES=${JOINED} -P ${PEERFAB_EMBED_PRESETS_SCRIPT}
      DEPENDS ${FILES} ${EMBED_OUTPUT}.list ${PEERFAB_EMBED_PRESETS_SCRIPT}
      COMMENT "Embedding the presets"
      VERBATIM)
  endfunction()
  return()
endif()

set(DELIMITER "peerfab_preset")
set(CONTENT "// Written by cmake/EmbedPresets.cmake from topologies/presets. Do not edit.\n")
string(APPEND CONTENT "#include \"sim/config/embedded_presets.h\"\n\nnamespace peerfab::config {\n\n")
string(APPEND CONTENT "const std::vector<PresetLibrary::File>& embedded_presets() {\n")
string(APPEND CONTENT "  static const std::vector<PresetLibrary::File> files = {\n")
string(REPLACE "|" ";" FILES "${FILES}")
foreach(FILE IN LISTS FILES)
  file(READ "${FILE}" TEXT)
  string(FIND "${TEXT}" ")${DELIMITER}\"" END_MARK)
  if(NOT END_MARK EQUAL -1)
    message(FATAL_ERROR "${FILE} holds the mark that ends its embedded text")
  endif()
  file(RELATIVE_PATH NAME "${ROOT}" "${FILE}")
  string(APPEND CONTENT "      {\"${NAME}\", R\"${DELIMITER}(${TEXT})${DELIMITER}\"},\n")
endforeach()
string(APPEND CONTENT "  };\n  return files;\n}\n\n}  // namespace peerfab::config\n")
file(WRITE "${OUTPUT}" "${CONTENT}")
