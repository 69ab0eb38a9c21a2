#!/usr/bin/env python3
"""Python and its json module at work: builds, writes, reads and changes documents.

    pyjson.py [iterations=1000]          about 4 ms each

Truth, the same for the same number of iterations: iterations, objects (dictionaries
read back), bytes (of JSON written), checksum. Allocations are Python's own business;
run with PYTHONMALLOC=malloc to see every one of them.
"""

import json
import sys
import zlib


def random_numbers(seed):
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield seed >> 33


def make_document(numbers, records):
    return {
        "records": [
            {
                "id": next(numbers),
                "name": "record %d" % (next(numbers) % 1000),
                "values": [next(numbers) / 1024 for _ in range(8)],
                "tags": {"tag%d" % (next(numbers) % 50): bool(next(numbers) % 2) for _ in range(4)},
                "parent": None if next(numbers) % 3 else {"id": next(numbers)},
            }
            for _ in range(records)
        ]
    }


def count_objects(value):
    if isinstance(value, dict):
        return 1 + sum(map(count_objects, value.values()))
    if isinstance(value, list):
        return sum(map(count_objects, value))
    return 0


def main():
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    numbers = random_numbers(26)
    objects = written = checksum = 0
    for _ in range(iterations):
        text = json.dumps(make_document(numbers, 100), indent=1)
        document = json.loads(text)
        document["records"].sort(key=lambda record: record["id"])
        text = json.dumps(document, sort_keys=True)
        objects += count_objects(json.loads(text))
        written += len(text)
        checksum = zlib.crc32(text.encode(), checksum)
    for key, value in dict(iterations=iterations, objects=objects, bytes=written, checksum=checksum).items():
        print("truth", key, value)


main()
