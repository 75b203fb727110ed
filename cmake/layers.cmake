# A layer is a folder of src/jissoku built as one static library, `jissoku::<name>`. DEPS are the
# layers it may include; scripts/lint/layering holds the same table and checks the includes.
function(jissoku_layer name)
  cmake_parse_arguments(arg "" "FOLDER" "DEPS;PRIVATE" ${ARGN})
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/src/jissoku/${arg_FOLDER}/*.cpp ${CMAKE_SOURCE_DIR}/src/jissoku/${arg_FOLDER}/*.hpp)
  list(FILTER sources EXCLUDE REGEX "/(cli/main|plugin)\\.cpp$")
  set(target jissoku_${name})
  add_library(${target} STATIC ${sources})
  add_library(jissoku::${name} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE} jissoku_flags)
endfunction()
