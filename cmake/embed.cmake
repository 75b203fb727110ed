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
