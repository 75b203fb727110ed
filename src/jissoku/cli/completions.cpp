#include "jissoku/cli/completions.hpp"

namespace jissoku::cli {
namespace {

using core::message;

std::string words(std::span<const std::string_view> items) {
  std::string out;
  for (const std::string_view item : items) {
    out += (out.empty() ? "" : " ") + std::string(item);
  }
  return out;
}

std::string command_names(std::span<const Command> commands) {
  std::string out;
  for (const Command& command : commands) {
    out += (out.empty() ? "" : " ") + std::string(command.name);
  }
  return out;
}

std::string long_flags(const Command& command) {
  std::string out;
  for (const Flag& flag : flags()) {
    if (command.takes(flag)) {
      out += (out.empty() ? "--" : " --") + std::string(flag.name);
    }
  }
  return out;
}

/// Each character of `specials` with a backslash before it.
std::string with_backslashes(std::string_view text, std::string_view specials) {
  std::string out;
  for (const char c : text) {
    if (specials.find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

/// In single quotes for zsh and bash.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

bool operand_is_file(const Command& command) {
  return command.operand == "RUN" || command.operand == "[FILE...]";
}

std::string bash(std::span<const Command> commands) {
  std::string out =
      "# bash completion for jissoku\n"
      "_jissoku() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local word command=\"\" candidates=\"\"\n"
      "  case \"$previous\" in\n";
  std::string free_values;
  for (const Flag& flag : flags()) {
    const std::string name = "--" + std::string(flag.name);
    if (!flag.choices.empty()) {
      out += "    " + name + ") COMPREPLY=($(compgen -W \"" + words(flag.choices) +
             "\" -- \"$current\")); return ;;\n";
    } else if (flag.names_file) {
      out += "    " + name + ") COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n";
    } else if (!flag.metavar.empty()) {
      free_values += (free_values.empty() ? "" : "|") + name;
    }
  }
  out += "    " + free_values + ") return ;;\n  esac\n";
  out += "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$word\" in\n      ";
  for (const Command& command : commands) {
    out += (&command == &commands.front() ? "" : "|") + std::string(command.name);
  }
  out += ") command=\"$word\"; break ;;\n    esac\n  done\n  case \"$command\" in\n";
  out += "    \"\") candidates=\"" + command_names(commands) + " --help --version\" ;;\n";
  for (const Command& command : commands) {
    out += "    " + std::string(command.name) + ") candidates=\"" + long_flags(command) + "\" ;;\n";
  }
  out += "  esac\n  COMPREPLY=($(compgen -W \"$candidates\" -- \"$current\"))\n";
  for (const Command& command : commands) {
    if (operand_is_file(command)) {
      out += "  if [[ $command == " + std::string(command.name) +
             " && $current != -* ]]; then COMPREPLY=($(compgen -f -- \"$current\")); fi\n";
    } else if (!command.operand.empty()) {
      out += "  if [[ $command == " + std::string(command.name) +
             " && $current != -* ]]; then COMPREPLY=($(compgen -W \"" + command_names(commands) +
             "\" -- \"$current\")); fi\n";
    }
  }
  return out + "}\ncomplete -F _jissoku jissoku\n";
}

std::string zsh_flag(const Flag& flag, const core::Catalogue& catalogue) {
  std::string spec = "--" + std::string(flag.name) + (flag.metavar.empty() ? "" : "=");
  spec +=
      "[" + with_backslashes(catalogue.render(message("cli.flag." + std::string(flag.name))), "[]\\:") + "]";
  if (!flag.metavar.empty()) {
    spec += ":" + with_backslashes(flag.metavar, ":\\") + ":";
    if (!flag.choices.empty()) {
      spec += "(" + words(flag.choices) + ")";
    } else if (flag.names_file) {
      spec += "_files";
    }
  }
  return quoted(spec);
}

std::string zsh(std::span<const Command> commands, const core::Catalogue& catalogue) {
  std::string out =
      "#compdef jissoku\n"
      "_jissoku() {\n"
      "  local -a commands=(\n";
  for (const Command& command : commands) {
    const std::string summary = catalogue.render(message("cli.command." + std::string(command.name)));
    out += "    " + quoted(std::string(command.name) + ":" + with_backslashes(summary, ":\\")) + "\n";
  }
  out +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  case $words[2] in\n";
  for (const Command& command : commands) {
    out += "    " + std::string(command.name) + ")\n      _arguments ':command:'";
    for (const Flag& flag : flags()) {
      if (command.takes(flag)) {
        out += " \\\n        " + zsh_flag(flag, catalogue);
      }
    }
    if (operand_is_file(command)) {
      out += " \\\n        ':run:_files'";
    } else if (!command.operand.empty()) {
      out += " \\\n        ':command:(" + command_names(commands) + ")'";
    }
    out += " ;;\n";
  }
  return out + "  esac\n}\n_jissoku \"$@\"\n";
}

std::string fish(std::span<const Command> commands, const core::Catalogue& catalogue) {
  std::string out = "# fish completion for jissoku\ncomplete -c jissoku -f\n";
  for (const Command& command : commands) {
    const std::string summary = catalogue.render(message("cli.command." + std::string(command.name)));
    out += "complete -c jissoku -n __fish_use_subcommand -a " + std::string(command.name) + " -d '" +
           with_backslashes(summary, "'\\") + "'\n";
  }
  for (const Flag& flag : flags()) {
    std::string takers;
    for (const Command& command : commands) {
      if (command.takes(flag)) {
        takers += " " + std::string(command.name);
      }
    }
    out += "complete -c jissoku -n '__fish_seen_subcommand_from" + takers + "' -l " + std::string(flag.name);
    out += flag.short_name == 0 ? "" : std::string(" -s ") + flag.short_name;
    if (!flag.metavar.empty()) {
      out += flag.names_file ? " -r -F" : " -x";
      out += flag.choices.empty() ? "" : " -a '" + words(flag.choices) + "'";
    }
    out += " -d '" +
           with_backslashes(catalogue.render(message("cli.flag." + std::string(flag.name))), "'\\") + "'\n";
  }
  for (const Command& command : commands) {
    const std::string condition = " -n '__fish_seen_subcommand_from " + std::string(command.name) + "'";
    if (operand_is_file(command)) {
      out += "complete -c jissoku" + condition + " -F\n";
    } else if (!command.operand.empty()) {
      out += "complete -c jissoku" + condition + " -a '" + command_names(commands) + "'\n";
    }
  }
  return out;
}

}  // namespace

std::string completions(std::string_view shell,
                        std::span<const Command> commands,
                        const core::Catalogue& catalogue) {
  if (shell == "bash") {
    return bash(commands);
  }
  return shell == "zsh" ? zsh(commands, catalogue) : fish(commands, catalogue);
}

}  // namespace jissoku::cli
