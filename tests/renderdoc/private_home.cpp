// SPDX-License-Identifier: Apache-2.0
// Preloaded into RenderDoc's processes: they keep settings and compiled shaders below CAPTURE_HOME instead of the
// user's home folder. RenderDoc 1.24 asks the list of users for that, not HOME.
#include <dlfcn.h>
#include <pwd.h>

#include <cstdlib>

extern "C" __attribute__((visibility("default"))) passwd* getpwuid(uid_t user) {
  static const auto next = reinterpret_cast<decltype(&getpwuid)>(dlsym(RTLD_NEXT, "getpwuid"));
  passwd* const entry = next(user);
  if (char* const home = std::getenv("CAPTURE_HOME"); entry != nullptr && home != nullptr) entry->pw_dir = home;
  return entry;
}
