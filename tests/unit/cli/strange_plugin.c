/* Shared objects that are no plugin of this build: -DSTRANGER exports nothing, else another version. */
#ifndef STRANGER
static const struct {
  unsigned long long magic;
  const char* version;
  const char* interface;
  void (*make_backend)(void*);
} plugin = {0x6a6973736f6b7531ULL, "0.0.1", "0123456789abcdef", 0}; /* calling it would crash */
const void* jissoku_plugin(void) {
  return &plugin;
}
#endif
