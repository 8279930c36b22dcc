// The namespace of code that is compiled once per instruction set.
//
// A `*.kernel.cpp` file is built several times, each time with COTERIE_ISA set to another name. Everything such a file
// defines, and every template or inline function of the headers it includes, lives in that namespace: two builds of the
// same inline function under one name would let the linker keep the wide one for a narrow machine.
#pragma once

#ifndef COTERIE_ISA
#define COTERIE_ISA isa_plain
#endif
