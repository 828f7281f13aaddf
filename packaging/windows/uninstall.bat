@echo off
rem Removes what install.bat registered. The files stay; delete the folder afterwards.
rem usage: uninstall.bat [machine]
setlocal
set "hive=HKCU"
if /i "%~1"=="machine" set "hive=HKLM"
set "manifest=%~dp0layer\VkLayer_TRELLIS_shader_enqueue.json"
reg delete "%hive%\Software\Khronos\Vulkan\ImplicitLayers" /v "%manifest%" /f
if errorlevel 1 (
  echo uninstall.bat: nothing was removed. It was not registered under %hive%, or this must run as administrator.
  exit /b 1
)
echo Removed %manifest% from %hive%.
