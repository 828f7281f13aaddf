// Libraries that this process has loaded.
#pragma once

namespace trellis::test {

// Keeps all of them loaded until the process ends. LeakSanitizer looks at the very end, and names and suppresses by
// library: what a driver leaked would otherwise come from an unknown place once the driver is gone.
void KeepLibrariesLoaded();

}  // namespace trellis::test
