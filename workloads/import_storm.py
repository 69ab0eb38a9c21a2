#!/usr/bin/env python3
"""Python importing much of its standard library, then parsing and compiling its sources.

    import_storm.py [sources=80]          about 7000 stacks a source with PYTHONMALLOC=malloc

Modules that this Python lacks are left out.

Truth, the same on the same machine for the same number of sources: modules (imported by
name here), sources, nodes (of the syntax trees). Allocations are Python's own business;
run with PYTHONMALLOC=malloc to see every one of them.
"""

import ast
import importlib
import sys
import sysconfig
from pathlib import Path

MODULES = """
    asyncio concurrent.futures csv ctypes curses dataclasses decimal difflib doctest email.mime.text fractions
    http.cookiejar http.server imaplib inspect json logging.config mailbox multiprocessing.pool optparse pdb pickletools
    plistlib pydoc smtplib sqlite3 ssl statistics tarfile tkinter turtle typing unittest.mock urllib.request uuid
    wsgiref.simple_server xml.dom.minidom xml.etree.ElementTree xml.sax.saxutils xmlrpc.server zipfile
""".split()


def is_imported(name):
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def compiled_nodes(path):
    tree = ast.parse(path.read_bytes())
    compile(tree, path.name, "exec")
    return sum(1 for _ in ast.walk(tree))


def main():
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 80
    sys.dont_write_bytecode = True  # the next run is to find the same as this one
    modules = sum(map(is_imported, MODULES))
    sources = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[:wanted]
    nodes = sum(map(compiled_nodes, sources))
    for key, value in dict(modules=modules, sources=len(sources), nodes=nodes).items():
        print("truth", key, value, flush=True)


main()
