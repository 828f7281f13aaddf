// SPDX-License-Identifier: Apache-2.0
// A stand-in for advapi32.dll that says the process is not elevated. Wine says of every process that it is, so without
// this the loader's and the layer's code for ordinary processes would never run there. make_medium.py adds forwarders
// to advapi32.dll for all other functions.
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

extern "C" __declspec(dllexport) BOOL WINAPI
    MediumGetTokenInformation(HANDLE token, TOKEN_INFORMATION_CLASS kind, void* out, DWORD size, DWORD* needed) {
  if (GetTokenInformation(token, kind, out, size, needed) == 0) return FALSE;
  if (kind == TokenIntegrityLevel) {
    const PSID label = static_cast<TOKEN_MANDATORY_LABEL*>(out)->Label.Sid;
    *GetSidSubAuthority(label, *GetSidSubAuthorityCount(label) - 1u) = SECURITY_MANDATORY_MEDIUM_RID;
  }
  return TRUE;
}
