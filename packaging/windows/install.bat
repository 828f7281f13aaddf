@echo off
rem Registers the layer in this folder with the Vulkan loader.
rem usage: install.bat [machine]   for the current user, or with "machine" for all users (as administrator)
setlocal
set "hive=HKCU"
if /i "%~1"=="machine" set "hive=HKLM"
set "manifest=%~dp0layer\VkLayer_TRELLIS_shader_enqueue.json"
if not exist "%manifest%" (
  echo install.bat: there is no %manifest%. Unpack the whole archive first.
  exit /b 1
)
reg add "%hive%\Software\Khronos\Vulkan\ImplicitLayers" /v "%manifest%" /t REG_DWORD /d 0 /f
if errorlevel 1 (
  echo install.bat: the registry cannot be written. "install.bat machine" must run as administrator.
  exit /b 1
)
echo Registered %manifest% under %hive%. The layer is active in programs that have TRELLIS_ENABLE=1.
