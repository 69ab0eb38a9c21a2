"""JSON, a parser, regular expressions, sorting, threads and compression."""

import ast
import json
import re
import threading
import zlib

table = {str(i): [i, str(i)] for i in range(60000)}
print(len(json.dumps(json.loads(json.dumps(table)))))
print(len(ast.dump(ast.parse("a = b + c(d)\n" * 5000))))
print(len(re.findall(r"(\d+)(\D)", json.dumps(sorted(table)))))
sizes = [0] * 4


def compress(mine):
    sizes[mine] = sum(len(zlib.compress(bytes([mine + i % 7]) * 100000)) for i in range(60))


threads = [threading.Thread(target=compress, args=(mine,)) for mine in range(len(sizes))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sizes)
