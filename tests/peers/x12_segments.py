"""Prints crates/x12-guides/data/segments.txt: how many elements a segment has in any version of the X12 standard.

    python3 tests/peers/x12_segments.py BOTS_GRAMMARS STUPIDEDI > crates/x12-guides/data/segments.txt

The arguments are checkouts of bots-edi/bots-grammars (segment directories 003040 to 005030) and kputnam/stupidedi
(002001 to 005010). Only counts are taken: the highest of all versions and both projects.
"""

import ast
import pathlib
import re
import sys

HEAD = """\
; segments of the X12 standard: the id, how many elements it has, and `element:components` for each composite.
; The highest count of any version: segment directories 003040 to 005030 (bots-edi/bots-grammars), 002001 to 005010
; (kputnam/stupidedi). Made by tests/peers/x12_segments.py.
"""


def take(counts, segment, elements, composites):
    known, inner = counts.setdefault(segment, [0, {}])
    counts[segment][0] = max(known, elements)
    for element, components in composites.items():
        inner[element] = max(inner.get(element, 0), components)


def of_bots(root, counts):
    for path in sorted(root.glob("x12/*/records*.py")):
        text = path.read_text(errors="replace")
        literal = text[text.index("{", text.index("recorddefs")):]
        for segment, fields in ast.literal_eval(literal.strip()).items():
            fields = fields[1:]
            composites = {at: len(field[2]) for at, field in enumerate(fields, 1) if isinstance(field[2], list)}
            take(counts, segment, len(fields), composites)


def of_stupidedi(root, counts):
    library = root / "lib/stupidedi"
    for path in sorted(library.glob("**/segment_defs/*.rb")):
        version = path.parent.parent
        sizes = {}
        for definition in [*version.glob("element_defs.rb"), *version.glob("element_defs/*.rb")]:
            for composite in re.split(r"\n\s*(?=C\d{3}\s*=)", definition.read_text()):
                name = re.match(r"(C\d{3})\s*=", composite.strip())
                if name:
                    sizes[name[1]] = len(re.findall(r"\.component_use\(", composite))
        text = path.read_text()
        if not re.search(r"SegmentDef\.build\(:(\w+)", text):
            continue
        segment = re.search(r"SegmentDef\.build\(:(\w+)", text)[1]
        uses = re.findall(r"e::([A-Z]\w*)\s*\.simple_use", text)
        composites = {at: sizes[use] for at, use in enumerate(uses, 1) if sizes.get(use)}
        take(counts, segment, len(uses), composites)


def main(bots, stupidedi):
    counts = {}
    of_bots(pathlib.Path(bots), counts)
    of_stupidedi(pathlib.Path(stupidedi), counts)
    print(HEAD, end="")
    for segment in sorted(counts):
        elements, composites = counts[segment]
        if elements and re.fullmatch("[A-Z][A-Z0-9]{1,2}", segment):
            print(segment, elements, *(f"{at}:{size}" for at, size in sorted(composites.items())))


main(*sys.argv[1:])
