// One of two files of a program: this one compiled with or without RESIDUE_OFF.
#include "residue.h"

void FUNCTION() {
    residue::event event(ID);
}

#ifdef MAIN
void the_other();
int main() {
    FUNCTION();
    the_other();
}
#endif
