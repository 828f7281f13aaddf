// SPDX-License-Identifier: Apache-2.0
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <objbase.h>
#include <shellapi.h>

#include <array>
#include <cstddef>
#include <cwchar>
#include <string_view>
#include <system_error>
#include <utility>

#include "spirv_lowering/support/utf8_path.h"
#include "tools/platform/platform.h"

namespace trellis::tool {
namespace {

namespace fs = std::filesystem;

std::wstring Wide(std::string_view text) { return PathFromUtf8(text).wstring(); }
std::string Utf8(std::wstring_view text) { return Utf8FromPath(fs::path(text)); }

class Handle {
 public:
  ~Handle() { Close(); }
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  [[nodiscard]] HANDLE get() const { return handle_; }
  [[nodiscard]] HANDLE* address() { return &handle_; }
  void Close() {
    if (handle_ != nullptr) CloseHandle(std::exchange(handle_, nullptr));
  }

 private:
  HANDLE handle_ = nullptr;
};

std::string ErrorText(DWORD error) { return std::system_category().message(static_cast<int>(error)); }

// Programs split their command line at spaces. Backslashes count only in front of a quotation mark.
std::wstring Quoted(const std::wstring& word) {
  if (!word.empty() && word.find_first_of(L" \t\n\v\"") == std::wstring::npos) return word;
  std::wstring text = L"\"";
  size_t backslashes = 0;
  for (const wchar_t c : word) {
    if (c == L'\\') {
      ++backslashes;
      continue;
    }
    text.append(c == L'"' ? 2 * backslashes + 1 : backslashes, L'\\');
    backslashes = 0;
    text += c;
  }
  text.append(2 * backslashes, L'\\');
  return text + L'"';
}

std::string ReadToEnd(HANDLE pipe) {
  std::string text;
  std::array<char, 4096> buffer;
  DWORD got = 0;
  while (ReadFile(pipe, buffer.data(), static_cast<DWORD>(buffer.size()), &got, nullptr) != 0 && got > 0)
    text.append(buffer.data(), got);
  std::string lines;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') lines += text[i];
  }
  return lines;
}

// As the Vulkan loader and the layer decide it.
bool IsElevated() {
  Handle token;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, token.address()) == 0) return true;
  alignas(TOKEN_MANDATORY_LABEL) std::array<std::byte, sizeof(TOKEN_MANDATORY_LABEL) + SECURITY_MAX_SID_SIZE> buffer;
  DWORD size = 0;
  if (GetTokenInformation(token.get(), TokenIntegrityLevel, buffer.data(), static_cast<DWORD>(buffer.size()), &size) ==
      0)
    return true;
  const PSID label = reinterpret_cast<const TOKEN_MANDATORY_LABEL*>(buffer.data())->Label.Sid;
  return *GetSidSubAuthority(label, *GetSidSubAuthorityCount(label) - 1u) >= SECURITY_MANDATORY_HIGH_RID;
}

bool StartProgram(const std::vector<std::string>& command, HANDLE output, PROCESS_INFORMATION& process) {
  std::wstring line;
  for (const std::string& word : command) line += (line.empty() ? L"" : L" ") + Quoted(Wide(word));
  STARTUPINFOW startup = {};
  startup.cb = sizeof(startup);
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
  startup.hStdOutput = output;
  startup.hStdError = output;
  return CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &startup, &process) != 0;
}

}  // namespace

std::vector<std::string> CommandLine(int, char**) {
  // The one of main is in the system's code page, which may lack letters of file names.
  SetConsoleOutputCP(CP_UTF8);
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> arguments;
  for (int i = 1; words != nullptr && i < count; ++i) arguments.push_back(Utf8(words[i]));
  LocalFree(words);
  return arguments;
}

std::optional<std::string> EnvironmentVariable(const std::string& name) {
  const wchar_t* const value = _wgetenv(Wide(name).c_str());
  return value ? std::optional<std::string>(Utf8(value)) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> EnvironmentVariables() {
  std::vector<std::pair<std::string, std::string>> variables;
  wchar_t* const block = GetEnvironmentStringsW();
  for (const wchar_t* each = block; each != nullptr && *each != L'\0'; each += std::wcslen(each) + 1) {
    const std::wstring_view variable = each;
    // Names of the system's own, such as "=C:", begin with '='.
    if (const size_t equals = variable.find(L'=', 1); equals != std::wstring_view::npos)
      variables.emplace_back(Utf8(variable.substr(0, equals)), Utf8(variable.substr(equals + 1)));
  }
  if (block != nullptr) FreeEnvironmentStringsW(block);
  return variables;
}

void SetEnvironmentVariableTo(const std::string& name, const std::optional<std::string>& value) {
  // The C library keeps a copy of the environment, which it changes together with the system's.
  _wputenv_s(Wide(name).c_str(), Wide(value.value_or(std::string())).c_str());
}

std::string HomeFolder() { return EnvironmentVariable("USERPROFILE").value_or(""); }

fs::path SelectOwnLayer() {
  // An elevated loader reads no such variable: the registry alone decides.
  if (IsElevated()) return {};
  std::error_code ignored;
  const fs::path folder = OwnProgram().parent_path();
  // The archive has <archive>/bin, a build tree <build>/tools/trellis.
  for (const fs::path& prefix : {folder.parent_path(), folder.parent_path().parent_path()}) {
    const fs::path layer = prefix / "layer";
    if (!fs::is_regular_file(layer / "VkLayer_TRELLIS_shader_enqueue.json", ignored)) continue;
    constexpr const char* kVariable = "VK_ADD_IMPLICIT_LAYER_PATH";
    const std::string folders = EnvironmentVariable(kVariable).value_or("");
    SetEnvironmentVariableTo(kVariable, Utf8FromPath(layer) + (folders.empty() ? "" : ";" + folders));
    return layer;
  }
  return {};
}

SystemName NameSystem() {
  SystemName system;
  SYSTEM_INFO machine = {};
  GetNativeSystemInfo(&machine);
  system.machine = machine.wProcessorArchitecture == PROCESSOR_ARCHITECTURE_ARM64 ? "arm64" : "x86_64";
  // GetVersionEx tells programs without a manifest that they run on Windows 8. The registry has the true numbers.
  constexpr const wchar_t* kKey = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
  std::array<wchar_t, 64> build = {};
  DWORD size = sizeof(build);
  if (RegGetValueW(HKEY_LOCAL_MACHINE, kKey, L"CurrentBuildNumber", RRF_RT_REG_SZ, nullptr, build.data(), &size) ==
      ERROR_SUCCESS)
    system.kernel = "Windows, build " + Utf8(build.data());
  return system;
}

std::FILE* OpenFile(const fs::path& path, const char* mode) { return _wfopen(path.c_str(), Wide(mode).c_str()); }

fs::path MakeTemporaryFolder() {
  GUID id = {};
  std::array<wchar_t, 64> text;
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error || CoCreateGuid(&id) != S_OK || StringFromGUID2(id, text.data(), static_cast<int>(text.size())) == 0)
    return {};
  const fs::path folder = parent / (std::wstring(L"trellis-") + text.data());
  return CreateDirectoryW(folder.c_str(), nullptr) != 0 ? folder : fs::path();
}

fs::path OwnProgram() {
  std::vector<wchar_t> name(32768);  // the longest path of Windows
  const DWORD length = GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size()));
  return fs::path(std::wstring_view(name.data(), length));
}

std::string FindInPath(const std::string& name) {
  std::vector<wchar_t> found(32768);
  const DWORD length =
      SearchPathW(nullptr, Wide(name).c_str(), L".exe", static_cast<DWORD>(found.size()), found.data(), nullptr);
  return length > 0 && length < found.size() ? Utf8({found.data(), length}) : std::string();
}

Expected<ProgramResult> RunProgram(const std::vector<std::string>& command) {
  SECURITY_ATTRIBUTES inherited = {};
  inherited.nLength = sizeof(inherited);
  inherited.bInheritHandle = TRUE;
  Handle read_end, write_end;
  if (CreatePipe(read_end.address(), write_end.address(), &inherited, 0) == 0)
    return Error{"pipe: " + ErrorText(GetLastError())};
  SetHandleInformation(read_end.get(), HANDLE_FLAG_INHERIT, 0);
  PROCESS_INFORMATION process = {};
  if (!StartProgram(command, write_end.get(), process)) return Error{command[0] + ": " + ErrorText(GetLastError())};
  write_end.Close();
  ProgramResult result;
  result.output = ReadToEnd(read_end.get());
  WaitForSingleObject(process.hProcess, INFINITE);
  DWORD code = 0;
  GetExitCodeProcess(process.hProcess, &code);
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
  // Codes of exceptions, such as 0xC0000005, have the severity of an error.
  constexpr DWORD kSeverity = 0xC0000000;
  ((code & kSeverity) == kSeverity ? result.signal : result.exit_code) = static_cast<int>(code);
  return result;
}

}  // namespace trellis::tool
