# find_package(Residue) gives
#
#   Residue::marks         what programs that mark events link: an include folder, nothing else
#   Residue_EXECUTABLE     the command
#   residue_add_test(...)  a test that fails when memory grows
#
#   residue_add_test(job.memory
#     COMMAND job --events 300       as in add_test; a target's name stands for its executable
#     [MAX_GROWTH 1KiB/event]        any growth is too much without it
#     [RUN_OPTIONS --event-function step ...]
#     [CHECK_OPTIONS --max-rss 2GiB ...])
#
# Two tests come of it: job.memory.record runs the program, job.memory judges the profile, which
# is job.memory.residue in the current build folder. A run that cannot tell is skipped.

get_filename_component(_residue_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(Residue_EXECUTABLE residue HINTS "${_residue_prefix}/bin")
if(NOT Residue_EXECUTABLE)
  set(Residue_FOUND FALSE)
  set(Residue_NOT_FOUND_MESSAGE "no residue in ${_residue_prefix}/bin nor in PATH")
  return()
endif()

if(NOT TARGET Residue::marks)
  add_library(Residue::marks INTERFACE IMPORTED)
  set_target_properties(Residue::marks PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_residue_prefix}/include"
    INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
endif()

function(residue_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 asked "" "MAX_GROWTH" "COMMAND;RUN_OPTIONS;CHECK_OPTIONS")
  if(NOT asked_COMMAND OR asked_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "residue_add_test(${name}): COMMAND is missing, or not understood: ${asked_UNPARSED_ARGUMENTS}")
  endif()
  list(GET asked_COMMAND 0 program)
  if(TARGET ${program})
    list(REMOVE_AT asked_COMMAND 0)
    list(INSERT asked_COMMAND 0 "$<TARGET_FILE:${program}>")
  endif()
  set(limit)
  if(asked_MAX_GROWTH)
    set(limit --max-growth "${asked_MAX_GROWTH}")
  endif()
  set(profile "${CMAKE_CURRENT_BINARY_DIR}/${name}.residue")
  add_test(NAME ${name}.record
    COMMAND "${Residue_EXECUTABLE}" run -q ${asked_RUN_OPTIONS} -o "${profile}" -- ${asked_COMMAND})
  add_test(NAME ${name}
    COMMAND "${Residue_EXECUTABLE}" check "${profile}" ${limit} ${asked_CHECK_OPTIONS})
  set_tests_properties(${name}.record PROPERTIES FIXTURES_SETUP ${name}.residue)
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED ${name}.residue SKIP_RETURN_CODE 3)
endfunction()
