"""scripts/proofs-examples finds the theorems that no example reaches, from what Coq notes of proofs.

usage: examples_test.py
"""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = str(pathlib.Path(__file__).resolve().parents[2] / "scripts/proofs-examples")
LOADER = importlib.machinery.SourceFileLoader("proofs_examples", SCRIPT)
examples = importlib.util.module_from_spec(importlib.util.spec_from_loader("proofs_examples", LOADER))
LOADER.exec_module(examples)

# Statements and what their proofs use, as Coq 8.16 notes them.
LAWS = ("prf 10:14 <> first\nR20:24 Coq.Init.Logic <> eq_refl constr\nprf 30:35 <> second\n"
        "R40:44 Warpbound.lib.Laws <> first thm\nprf 50:54 Sec third\nprf 60:65 <> fourth\n"
        "def 70:74 <> small\nR80:85 Warpbound.lib.Laws <> fourth thm\n")
RUN = "R1:4 Warpbound.lib.Laws <> <> lib\nprf 10:13 <> run\nR20:25 Warpbound.lib.Laws <> second thm\n"


class Reached(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for file, text, glob in (("lib/Laws.v", "Example small : True.", LAWS), ("examples/Run.v", "", RUN)):
            (self.root / file).parent.mkdir()
            (self.root / file).write_text(text, encoding="utf-8")
            (self.root / file).with_suffix(".glob").write_text(glob, encoding="utf-8")

    def test_examples_reach_what_they_apply_and_what_that_rests_on(self):
        found = examples.reached(*examples.uses_and_examples(self.root, self.root))
        laws = {name for name in found if name.startswith("lib/Laws.v:")}
        self.assertEqual(laws, {f"lib/Laws.v:{name}" for name in ("first", "second", "fourth", "small")})


if __name__ == "__main__":
    unittest.main()
