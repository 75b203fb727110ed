# What `cmake --install` and the packages of scripts/dist hold: the program, its plugins, its manual page and
# shell completions (printed by the program itself), data and documents. The target `extras` makes the
# printed ones. With the tests, the component `acceptance` is what scripts/gpu_acceptance needs.

# The program looks for shared libraries packed beside it first, so that an unpacked tarball runs
# anywhere. DT_RPATH rather than DT_RUNPATH: it also holds for what those libraries need themselves.
set_target_properties(jissoku PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/jissoku")
target_link_options(jissoku PRIVATE -Wl,--disable-new-dtags)

set(extras_folder ${CMAKE_BINARY_DIR}/extras)
file(MAKE_DIRECTORY ${extras_folder})
set(extras)
function(jissoku_printed file)
  add_custom_command(OUTPUT ${extras_folder}/${file}
    COMMAND jissoku ${ARGN} > ${extras_folder}/${file}
    DEPENDS jissoku VERBATIM)
  set(extras ${extras} ${extras_folder}/${file} PARENT_SCOPE)
endfunction()
jissoku_printed(jissoku.1 --man)
jissoku_printed(jissoku.bash --completions bash)
jissoku_printed(_jissoku --completions zsh)
jissoku_printed(jissoku.fish --completions fish)
add_custom_target(extras DEPENDS ${extras})

install(TARGETS jissoku RUNTIME COMPONENT runtime)
get_property(plugins GLOBAL PROPERTY JISSOKU_PLUGINS)
if(plugins)
  install(TARGETS ${plugins} LIBRARY DESTINATION lib/jissoku/plugins COMPONENT runtime)
endif()
install(FILES ${extras_folder}/jissoku.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
install(FILES ${extras_folder}/jissoku.bash RENAME jissoku
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
install(FILES ${extras_folder}/_jissoku
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime)
install(FILES ${extras_folder}/jissoku.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
install(FILES LICENSE README.md README.ja.md CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES data/devices.json DESTINATION ${CMAKE_INSTALL_DATADIR}/jissoku COMPONENT runtime)
if(TARGET conformance_device)
  set_target_properties(conformance_device PROPERTIES INSTALL_RPATH "$ORIGIN/../../lib/jissoku")
  target_link_options(conformance_device PRIVATE -Wl,--disable-new-dtags)
  install(TARGETS conformance_device RUNTIME DESTINATION libexec/jissoku COMPONENT acceptance)
  install(PROGRAMS scripts/gpu_acceptance DESTINATION libexec/jissoku COMPONENT acceptance)
endif()
