"""What python-hl7 and hl7apy read in HL7 v2 messages, leaf by leaf.

Standard input: one JSON string a line, a message with CR behind every segment.
Standard output: for each line an object with a member for each reader: `{"leaves": {path: value}}`, where a path is
`SEG[n].field[repetition].component.subcomponent`, all counted from 1, and empty values are left out; or
`{"error": text}`. Where a value has an escape character, the path and ` text` have what it says.
"""

import json
import logging
import multiprocessing
import sys

import hl7
from hl7apy.consts import VALIDATION_LEVEL
from hl7apy.parser import parse_message


def children(node, kinds):
    """The parts of a container of python-hl7; where a level has only one part, it leaves the level out."""
    return list(node) if isinstance(node, kinds) else [node]


def python_hl7(text):
    leaves, seen = {}, {}
    message = hl7.parse(text)
    for segment in message:
        name = str(segment[0])
        seen[name] = seen.get(name, 0) + 1
        for number, field in enumerate(list(segment)[1:], 1):
            for repetition, parts in enumerate(children(field, hl7.Field), 1):
                for component, subs in enumerate(children(parts, hl7.Repetition), 1):
                    for sub, value in enumerate(children(subs, hl7.Component), 1):
                        if str(value):
                            at = f"{name}[{seen[name]}].{number}[{repetition}].{component}.{sub}"
                            leaves[at] = str(value)
                            if message.esc in str(value) and at != "MSH[1].2[1].1.1":
                                leaves[f"{at} text"] = hl7.util.unescape(message, str(value))
    return leaves


def hl7apy(text):
    """Reads by its data types. Elements that it does not know have no number: what it gives back as text is split here."""
    leaves, seen = {}, {}
    message = parse_message(text, validation_level=VALIDATION_LEVEL.TOLERANT, find_groups=False)
    marks = message.encoding_chars
    for segment in message.children:
        name = segment.name
        seen[name] = seen.get(name, 0) + 1
        fields = segment.to_er7().split(marks["FIELD"])
        if name == "MSH":
            fields.insert(1, marks["FIELD"])
        for number, field in enumerate(fields[1:], 1):
            if name == "MSH" and number <= 2:
                leaves[f"MSH[1].{number}[1].1.1"] = field
                continue
            for repetition, parts in enumerate(field.split(marks["REPETITION"]), 1):
                for component, part in enumerate(parts.split(marks["COMPONENT"]), 1):
                    for sub, value in enumerate(part.split(marks["SUBCOMPONENT"]), 1):
                        if value:
                            leaves[f"{name}[{seen[name]}].{number}[{repetition}].{component}.{sub}"] = value
    return leaves


def attempt(read, text):
    try:
        return {"leaves": read(text)}
    except Exception as error:  # whatever a reader raises is what it says about the message
        return {"error": f"{type(error).__name__}: {error}"}


def readings(line):
    text = json.loads(line)
    return json.dumps({"python-hl7": attempt(python_hl7, text), "hl7apy": attempt(hl7apy, text)})


def main():
    logging.disable()
    with multiprocessing.Pool() as pool:
        for reading in pool.imap(readings, sys.stdin.readlines(), chunksize=8):
            print(reading)


if __name__ == "__main__":
    main()
