# Run by jissoku_embed. Raw string literals are limited to 64 KiB by some compilers: cut into pieces.
file(READ ${INPUT} text HEX)
string(LENGTH "${text}" hex_length)
math(EXPR bytes "${hex_length} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," array "${text}")
string(REGEX REPLACE "'[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*','[^']*'," "\\0\n" array "${array}")
file(WRITE ${OUTPUT} "#include <string_view>\nnamespace {\nconst char kBytes[] = {\n${array}'\\0'};\n}\nnamespace jissoku::embedded {\nextern const std::string_view ${SYMBOL};\nconst std::string_view ${SYMBOL}{kBytes, ${bytes}};\n}\n")
