#include "layer/dispatch/arena.h"

#include <new>

namespace trellis {

Arena::~Arena() {
  for (Restoration* at = restorations_; at; at = at->older) at->structure->pNext = at->next;
}

void Arena::RestoreLater(VkBaseOutStructure* structure) {
  restorations_ = new (Allocate(sizeof(Restoration))) Restoration{structure, structure->pNext, restorations_};
}

}  // namespace trellis
