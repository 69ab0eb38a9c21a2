#!/usr/bin/env python3
"""Can the recorder still be broken? What a break changes must be in the sources, once."""

import sys
import unittest

sys.dont_write_bytecode = True  # leaves no __pycache__ in the source tree

from breaks import BREAKS, ROOT


class Breaks(unittest.TestCase):
    def test_what_each_changes_is_there_once(self):
        self.assertEqual(len(BREAKS), 7)
        for broken in BREAKS:
            with self.subTest(broken.name):
                text = (ROOT / broken.file).read_text()
                self.assertEqual(text.count(broken.before), 1)
                self.assertNotIn(broken.after, text)


if __name__ == "__main__":
    unittest.main()
