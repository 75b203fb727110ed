# Embeds text files into a C++ source as `extern const std::string_view <symbol>` in namespace
# jissoku::embedded, so that the program needs no data folder.
#   jissoku_embed(<target> <symbol> <file>)
function(jissoku_embed target symbol file)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D SYMBOL=${symbol} -D INPUT=${file} -D OUTPUT=${output}
      -P ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake
    DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/embed_file.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# Embeds a folder of catalogue files (one per layer) of one language as one JSON array.
#   jissoku_embed_messages(<target> <symbol> <folder>)
function(jissoku_embed_messages target symbol folder)
  set(joined ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.json)
  file(GLOB parts CONFIGURE_DEPENDS ${folder}/*.json)
  add_custom_command(
    OUTPUT ${joined}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D OUTPUT=${joined} -P ${CMAKE_SOURCE_DIR}/cmake/embed_messages.cmake
    DEPENDS ${parts} ${CMAKE_SOURCE_DIR}/cmake/embed_messages.cmake
    VERBATIM)
  jissoku_embed(${target} ${symbol} ${joined})
endfunction()
