# A backend that links a vendor's library is a plugin: its layer as usual (a static library, which the unit
# tests use), and its plugin.cpp as a shared object beside the program, which the program opens when it asks
# for devices. Program and plugin must agree on the C++ they share; the hash of those headers says so.
file(GLOB_RECURSE interface_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/jissoku/core/*.hpp
  ${CMAKE_SOURCE_DIR}/src/jissoku/numerics/*.hpp ${CMAKE_SOURCE_DIR}/src/jissoku/device/*.hpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${interface_headers})
set(interface "${CMAKE_CXX_COMPILER_ID} ${CMAKE_BUILD_TYPE}")
foreach(header ${interface_headers})
  file(SHA256 ${header} hash)
  string(APPEND interface " ${hash}")
endforeach()
string(SHA256 interface "${interface}")
string(SUBSTRING "${interface}" 0 16 JISSOKU_PLUGIN_INTERFACE)

set(JISSOKU_PLUGIN_FOLDER ${CMAKE_BINARY_DIR}/plugins)

# jissoku_plugin(<layer>): after jissoku_layer(<layer> FOLDER backends/<layer> ...).
function(jissoku_plugin name)
  add_library(plugin_${name} MODULE ${CMAKE_SOURCE_DIR}/src/jissoku/backends/${name}/plugin.cpp)
  set_target_properties(plugin_${name} PROPERTIES PREFIX "" OUTPUT_NAME jissoku_${name}
    LIBRARY_OUTPUT_DIRECTORY ${JISSOKU_PLUGIN_FOLDER} CXX_VISIBILITY_PRESET hidden
    INSTALL_RPATH "$ORIGIN/..")
  target_link_libraries(plugin_${name} PRIVATE jissoku::${name} jissoku_flags)
  # Its copies of our code are its own, even where the program exports the same names.
  target_link_options(plugin_${name} PRIVATE -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -Wl,--disable-new-dtags)
  set_property(GLOBAL APPEND PROPERTY JISSOKU_PLUGINS plugin_${name})
endfunction()

# jissoku_backend_state(<name> <ON|OFF|AUTO> <reason it cannot be built, or "">): sets
# JISSOKU_BUILD_<name> in the caller, and says in the configure summary what was decided and why.
function(jissoku_backend_state name wanted reason)
  if(wanted STREQUAL "OFF")
    set(reason "switched off")
  elseif(wanted STREQUAL "ON" AND reason)
    message(FATAL_ERROR "Backend ${name} was asked for and cannot be built: ${reason}")
  endif()
  if(reason)
    message(STATUS "Backend ${name}: not built, ${reason}")
    set(JISSOKU_BUILD_${name} FALSE PARENT_SCOPE)
  else()
    message(STATUS "Backend ${name}: built as a plugin")
    set(JISSOKU_BUILD_${name} TRUE PARENT_SCOPE)
  endif()
endfunction()
