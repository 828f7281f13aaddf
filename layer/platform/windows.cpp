// SPDX-License-Identifier: Apache-2.0
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
// A macro of windows.h, of the same name as a function here.
#undef ReplaceFile

#include <fcntl.h>
#include <io.h>

#include <array>
#include <cerrno>
#include <cwchar>
#include <string_view>
#include <utility>

#include "layer/platform/platform.h"
#include "spirv_lowering/support/utf8_path.h"

namespace trellis {

namespace {

constexpr wchar_t kSettingsKey[] = L"Software\\Khronos\\Vulkan\\Settings";
constexpr std::wstring_view kFileName = L"vk_layer_settings.txt";

std::wstring Wide(const std::string& text) { return PathFromUtf8(text).wstring(); }
std::string Utf8(std::wstring_view text) { return Utf8FromPath(std::filesystem::path(text)); }

class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {}
  ~Handle() {
    if (valid()) CloseHandle(handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  [[nodiscard]] bool valid() const { return handle_ != INVALID_HANDLE_VALUE && handle_ != nullptr; }
  [[nodiscard]] HANDLE get() const { return handle_; }
  HANDLE Release() { return std::exchange(handle_, INVALID_HANDLE_VALUE); }

 private:
  HANDLE handle_;
};

int ErrnoOf(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
      return EACCES;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DISK_FULL:
      return ENOSPC;
    default:
      return EIO;
  }
}

// FILE_FLAG_OPEN_REPARSE_POINT opens a link itself, which the check of the attributes then refuses.
OutputFile Open(const std::filesystem::path& path, DWORD access, DWORD disposition, const char* stdio_mode) {
  Handle handle(CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                            disposition, FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!handle.valid()) {
    errno = ErrnoOf(GetLastError());
    return nullptr;
  }
  BY_HANDLE_FILE_INFORMATION information = {};
  if (GetFileInformationByHandle(handle.get(), &information) != 0 &&
      (information.dwFileAttributes & (FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY)) != 0) {
    errno = EACCES;
    return nullptr;
  }
  const intptr_t system_handle = reinterpret_cast<intptr_t>(handle.get());
  const int descriptor = _open_osfhandle(system_handle, _O_WRONLY | _O_BINARY | _O_NOINHERIT);
  if (descriptor < 0) return nullptr;
  handle.Release();  // the descriptor's from here on
  OutputFile file(_fdopen(descriptor, stdio_mode));
  if (!file) _close(descriptor);
  return file;
}

// The names of the key's values are paths. Data of 0 enables a path.
void AddSettingsFiles(HKEY hive, std::vector<std::filesystem::path>& files) {
  HKEY key = nullptr;
  if (RegOpenKeyExW(hive, kSettingsKey, 0, KEY_QUERY_VALUE, &key) != ERROR_SUCCESS) return;
  std::vector<wchar_t> name(16384);  // the longest that the registry allows
  for (DWORD index = 0;; ++index) {
    DWORD length = static_cast<DWORD>(name.size());
    DWORD type = REG_NONE;
    DWORD value = 1;
    DWORD value_size = sizeof(value);
    const LSTATUS status =
        RegEnumValueW(key, index, name.data(), &length, nullptr, &type, reinterpret_cast<BYTE*>(&value), &value_size);
    if (status == ERROR_MORE_DATA) continue;  // text, which is no DWORD
    if (status != ERROR_SUCCESS) break;
    const std::filesystem::path path(std::wstring_view(name.data(), length));
    if (type == REG_DWORD && value == 0 && path.filename() == kFileName) files.push_back(path);
  }
  RegCloseKey(key);
}

}  // namespace

bool HasRaisedPrivileges() {
  HANDLE opened = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY | TOKEN_QUERY_SOURCE, &opened) == 0) return false;
  const Handle token(opened);
  alignas(TOKEN_MANDATORY_LABEL) std::array<unsigned char, sizeof(TOKEN_MANDATORY_LABEL) + SECURITY_MAX_SID_SIZE>
      buffer = {};
  DWORD size = 0;
  if (GetTokenInformation(token.get(), TokenIntegrityLevel, buffer.data(), static_cast<DWORD>(buffer.size()), &size) ==
      0)
    return false;
  const PSID label = reinterpret_cast<const TOKEN_MANDATORY_LABEL*>(buffer.data())->Label.Sid;
  const DWORD level = *GetSidSubAuthority(label, *GetSidSubAuthorityCount(label) - 1u);
  return level >= SECURITY_MANDATORY_HIGH_RID;
}

std::optional<std::string> EnvironmentVariable(const std::string& name) {
  const std::wstring wide = Wide(name);
  std::wstring value(256, L'\0');
  for (;;) {
    SetLastError(ERROR_SUCCESS);
    const DWORD length = GetEnvironmentVariableW(wide.c_str(), value.data(), static_cast<DWORD>(value.size()));
    if (length == 0 && GetLastError() == ERROR_ENVVAR_NOT_FOUND) return std::nullopt;
    if (length < value.size()) return Utf8({value.data(), length});
    value.resize(length);  // the length with the final zero
  }
}

std::vector<std::string> EnvironmentNames() {
  std::vector<std::string> names;
  wchar_t* const block = GetEnvironmentStringsW();
  if (block == nullptr) return names;
  for (const wchar_t* variable = block; *variable != L'\0'; variable += std::wcslen(variable) + 1) {
    const std::wstring_view text(variable);
    // Names that begin with '=' hold the working folders of drives.
    if (const size_t end = text.find(L'='); end != 0) names.push_back(Utf8(text.substr(0, end)));
  }
  FreeEnvironmentStringsW(block);
  return names;
}

std::vector<std::filesystem::path> SystemSettingsFiles() {
  std::vector<std::filesystem::path> files;
  AddSettingsFiles(HKEY_CURRENT_USER, files);
  AddSettingsFiles(HKEY_LOCAL_MACHINE, files);
  return files;
}

bool CopyIfReadable(const void* from, void* to, size_t bytes) {
  // Fails where a read would fault, and copies nothing then.
  SIZE_T copied = 0;
  return ReadProcessMemory(GetCurrentProcess(), from, to, bytes, &copied) != 0 || copied == 0;
}

OutputFile OpenForAppending(const std::filesystem::path& path) {
  return Open(path, FILE_APPEND_DATA | SYNCHRONIZE | FILE_READ_ATTRIBUTES, OPEN_ALWAYS, "ab");
}

OutputFile ReplaceFile(const std::filesystem::path& path) {
  // Deletes a link, not its target.
  if (DeleteFileW(path.c_str()) == 0 && GetLastError() != ERROR_FILE_NOT_FOUND) {
    errno = ErrnoOf(GetLastError());
    return nullptr;
  }
  return Open(path, GENERIC_WRITE, CREATE_NEW, "wb");
}

}  // namespace trellis
