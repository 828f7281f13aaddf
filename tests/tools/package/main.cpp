#include "nodes.h"

int main() { return kNodes[0] == 0x07230203u ? 0 : 1; }
