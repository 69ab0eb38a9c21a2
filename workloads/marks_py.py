#!/usr/bin/env python3
"""The event loop of marks_c in Python, with blocks from the C library.

    marks_py.py [events=100]

Truth: events, stamps, scopes, counts, hits, snapshots, leaked_blocks and leaked_bytes as
marks_c; churned_blocks. The functions are Python's, so no FUNCTION.* holds for stacks of
machine code. The package `residue` lies beside the built script.
"""

import ctypes
import sys

import residue

libc = ctypes.CDLL(None)
libc.malloc.argtypes = [ctypes.c_size_t]
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]

leaked_blocks = churned_blocks = 0


def leak_here():
    global leaked_blocks
    if libc.malloc(1000):
        leaked_blocks += 1


@residue.scope("leaky")
def leaky():
    leak_here()


def churn_here():
    global churned_blocks
    for _ in range(10):
        libc.free(libc.malloc(64))
        churned_blocks += 1


def main():
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    hits = snapshots = 0
    for i in residue.events(range(events)):
        residue.stamp("begin")
        leaky()
        residue.stamp("middle")
        churn_here()
        residue.count("hits", i % 7)
        hits += i % 7
        if i == events // 2:
            residue.snapshot("half")
            snapshots += 1
        residue.stamp("end")
    print("truth events", events)
    print("truth stamps", 3 * events)
    print("truth scopes", events)
    print("truth counts", events)
    print("truth hits", hits)
    print("truth snapshots", snapshots)
    print("truth leaked_blocks", leaked_blocks)
    print("truth leaked_bytes", 1000 * leaked_blocks)
    print("truth churned_blocks", churned_blocks)


main()
