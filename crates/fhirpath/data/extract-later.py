#!/usr/bin/env python3
"""Extracts what R4B and R5 say of elements, required elements and required codes from the source of the crate fhir-model.

    cargo fetch --locked        # fetches fhir-model as a dependency of fhir-sdk
    python3 crates/fhirpath/data/extract-later.py ~/.cargo/registry/src/*/fhir-model-0.13.0 required.tsv elements.ndjson

`required.tsv` has R4's required bindings, a line each with tabs between: element, types, value set, codes. `elements.ndjson` has
R4's element definitions, an object each with `path` and `min`. README.md in this folder says where both come from. The script
writes later-elements.tsv, required-codes.tsv and required-elements.tsv here, and required-codes.tsv in crates/fhir-search/data.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
SEARCH = HERE.parent.parent / "fhir-search" / "data"
RELEASES = {"r4b": "B", "r5": "5"}

RUST = {
    "String": "string", "bool": "boolean", "i32": "integer", "u32": "unsignedInt", "NonZeroU32": "positiveInt",
    "f64": "decimal", "Date": "date", "DateTime": "dateTime", "Instant": "instant", "Time": "time",
    "Base64Binary": "base64Binary", "Integer64": "integer64",
}
PRIMITIVES = {
    "boolean", "integer", "positiveInt", "unsignedInt", "integer64", "decimal", "string", "code", "id", "markdown", "uri",
    "url", "canonical", "uuid", "oid", "base64Binary", "xhtml", "date", "dateTime", "instant", "time",
}
# The crate has one Rust type for each of these, so that a difference among them says nothing.
TEXTS = {"string", "code", "id", "markdown", "uri", "url", "canonical", "uuid", "oid", "xhtml"}
NUMBERS = {"integer", "positiveInt", "unsignedInt"}
# Ids of R4 to which R5 gives a wider form. Source: the pages of both in hl7.org/fhir/R5.
WIDER = {"Expression.name": "code", "StructureMap.group.rule.target.context": "string"}


def same(a, b):
    return a == b or {a, b} <= TEXTS or {a, b} <= NUMBERS


def r4_elements():
    """path -> (base, {name: (types, is choice, repeats)})"""
    types = {}
    for line in (HERE / "r4-elements.tsv").read_text().splitlines():
        path, base, children = line.split("\t")
        elements = {}
        for child in children.split():
            name, target = child.split(":", 1)
            repeats = target.endswith("*")
            target = target.removesuffix("*")
            elements[name] = (target.removeprefix("?").split("|"), target.startswith("?"), repeats)
        types[path] = (base, elements)
    return types


class Release:
    """The structs and enums of one release."""

    def __init__(self, folder):
        self.structs, self.choices, self.codes = {}, {}, {}
        self.tops = set()
        for part in ("types", "resources"):
            text = (folder / part / "generated.rs").read_text()
            text = re.sub(r"/\*\*(.*?)\*/", self.listed, text, flags=re.S)
            text = re.sub(r"///.*", "", text)
            for name, body in re.findall(r"pub struct (\w+) \{\n(.*?)\n\}", text, flags=re.S):
                # A type of its own is `Name(Box<NameInner>)`; the struct of a backbone element has no such box.
                self.structs[name.removesuffix("Inner")] = self.fields(body)
                if name.endswith("Inner"):
                    self.tops.add(name.removesuffix("Inner"))
            for name, body in re.findall(r"pub enum (\w+) \{\n(.*?)\n\}", text, flags=re.S):
                variants = re.findall(r'#\[serde\(rename = "(\w+)"\)\]\s*\w+\((.*?)\),', body)
                if variants and not name.endswith("Extension"):
                    self.choices[name] = variants
        text = (folder / "codes" / "generated.rs").read_text()
        for name, body in re.findall(r"FromStr for (\w+) \{(.*?)\n\}", text, flags=re.S):
            codes = re.findall(r'"((?:[^"\\]|\\.)*)" => Ok\(Self::', body)
            self.codes[name] = [] if any(" " in code or "@" in code for code in codes) else codes

    @staticmethod
    def fields(body):
        fields = []
        body = re.sub(r",\s*>", ">", body)
        pattern = (r'#\[codes\((.*?)\)\]|'
                   r'#\[serde\((default\b)|'
                   r'#\[serde\((flatten|rename = "[^"]+")\)\](?:\s*#\[cfg_attr\(.*?\)\]\n)?\s*pub (?:r#)?(\w+): (.+?),\n')
        listed, required = "", True
        for codes, default, how, rust, of in re.findall(pattern, body + "\n", flags=re.S):
            if codes:
                listed = codes
                continue
            if default:
                # The crate can do without the field, as an element with the minimum 0.
                required = False
                continue
            (codes, min_1), (listed, required) = (listed, required), ("", True)
            name = None if how == "flatten" else how.split('"')[1]
            if name and name.startswith("_") or rust.endswith("_ext"):
                continue
            of = re.sub(r"\s", "", of)
            repeats = of.startswith("Vec<")
            while match := re.fullmatch(r"(?:Vec|Option|Box)<(.+)>", of):
                of = match[1]
            fields.append((name, of, repeats, codes, min_1))
        return fields

    @staticmethod
    def listed(comment):
        """The codes that a field's comment lists in full, which the crate does where it has no enum for them."""
        listed = re.match(r"\s*\*\*\[.*?\]\(.*?\); ([\w-]+(?: \| [\w-]+)+)(?: - .*)?\*\*", comment[1])
        return f"#[codes({listed[1].replace(' |', '')})]" if listed else ""

    def walk(self):
        """path -> {name: (types, is choice, repeats, codes, is required)}"""
        types, seen = {}, {}
        open_ = [(name, name) for name in sorted(self.tops)]
        for name, path in open_:
            seen.setdefault(name, path)
        while open_:
            struct, path = open_.pop(0)
            elements = {}
            for name, of, repeats, codes, min_1 in self.structs[struct]:
                if name is None:
                    variants = self.choices[of]
                    first = variants[0][0]
                    stem = next(first[: -len(s)] for s in self.suffixes(first) if all(v.startswith(first[: -len(s)])
                                for v, _ in variants) and self.is_suffix_stem(first[: -len(s)], variants))
                    elements[stem] = ([self.suffix_type(v[len(stem):]) for v, _ in variants], True, repeats, None, min_1)
                    continue
                if of.startswith("codes::"):
                    elements[name] = (["code"], False, repeats, self.codes[of.removeprefix("codes::")], min_1)
                elif of in RUST:
                    elements[name] = ([RUST[of]], False, repeats, codes.split() or None, min_1)
                elif of in seen and "." in seen[of]:
                    elements[name] = (["#" + seen[of]], False, repeats, None, min_1)
                elif of in self.structs and of not in self.tops:
                    seen[of] = f"{path}.{name}"
                    elements[name] = (["."], False, repeats, None, min_1)
                    open_.append((of, f"{path}.{name}"))
                else:
                    elements[name] = ([of], False, repeats, None, min_1)
            types[path] = elements
        return types

    @staticmethod
    def suffixes(name):
        return [name[at:] for at in range(len(name) - 1, 0, -1) if name[at].isupper()]

    def suffix_type(self, suffix):
        lower = suffix[0].lower() + suffix[1:]
        return lower if lower in PRIMITIVES else suffix

    def is_suffix_stem(self, stem, variants):
        known = lambda of: self.suffix_type(of) in PRIMITIVES or of in self.structs
        return all(known(v[len(stem):]) for v, _ in variants)


def spelled(name, types, choice, repeats, mark):
    return f"{name}:{'?' if choice else ''}{'|'.join(types)}{'*' if repeats else ''}{mark}"


def later_elements(r4, releases):
    # A primitive of R5 alone, which is no struct of the crate's generated types.
    rows = {"integer64": ("Element", {})}

    def bases(path):
        names = set()
        base = r4.get(path, ("", {}))[0]
        while base:
            names |= set(r4[base][1])
            base = r4[base][0]
        return names

    for mark, types in releases.items():
        for path, elements in types.items():
            own = r4.get(path, ("", {}))[1]
            known = bases(path) if path in r4 else set()
            is_resource = "." not in path and "meta" in elements and "implicitRules" in elements
            if path not in r4:
                base = "DomainResource" if is_resource and "contained" in elements else "Resource" if is_resource \
                    else "BackboneElement" if "modifierExtension" in elements else "Element"
                known = {"id", "extension", "modifierExtension"} | (
                    {"meta", "implicitRules", "language", "text", "contained"} if is_resource else set())
                known -= set() if base != "Element" else {"modifierExtension"}
                rows.setdefault(path, (base, {}))
            for name, (of, choice, repeats, _, _) in elements.items():
                if name in known:
                    continue
                if name in own:
                    before, was_choice, repeated = own[name]
                    wider = WIDER.get(f"{path}.{name}") if mark == "5" else None
                    if wider:
                        of = [wider]
                    elif repeats != repeated and not (was_choice and choice):
                        pass
                    elif was_choice and choice:
                        of = [one for one in of if one not in before]
                        if not of:
                            continue
                    elif not was_choice and not choice:
                        if same(before[0], of[0]) or before[0].startswith("#") and of[0][0] in "#.":
                            continue
                        if before[0] == "." and of[0][0] in "#.":
                            continue
                rows.setdefault(path, (r4.get(path, ("", {}))[0], {}))
                key = (name, tuple(of), choice)
                marks, repeated = rows[path][1].get(key, ("", False))
                rows[path][1][key] = (marks + mark, repeats or repeated)
    lines = []
    for path in sorted(rows):
        base, children = rows[path]
        if path in r4 and not children:
            continue
        cells = (spelled(name, types, choice, repeats, "@" + marks) for (name, types, choice), (marks, repeats) in children.items())
        lines.append(f"{path}\t{base}\t{' '.join(cells)}")
    return lines


def required_codes(r4, bindings, releases):
    """path -> {code: marks}, and which paths another release gives another type."""
    paths = set(bindings) | {
        f"{path}.{name}" for types in releases.values() for path, elements in types.items()
        for name, element in elements.items() if element[3] and element[0] == ["code"]
    }
    result, varied = {}, set()
    for full in sorted(paths):
        path, name = full.rsplit(".", 1)
        known = r4.get(path, ("", {}))[1].get(name)
        concept = known and known[0] == ["CodeableConcept"]
        codes = {}
        if known:
            if not bindings.get(full):
                continue
            codes = {code: "4" for code in bindings[full]}
        open_ = False
        for mark, types in releases.items():
            element = types.get(path, {}).get(name)
            if element is None:
                continue
            if element[3]:
                for code in element[3]:
                    codes[code] = codes.get(code, "") + mark
            elif element[0][0] in TEXTS:
                open_ = True
            elif not concept:
                varied.add(full)
        if not open_ and codes:
            result[full] = codes
    return result, varied


# CodeableConcepts with a required binding in R4, and what R4B and R5 say of them. Source: the pages of these resources in
# hl7.org/fhir/R4B and hl7.org/fhir/R5. A binding that R5 loosened is left out.
CONCEPTS = {
    "AllergyIntolerance.clinicalStatus": "active inactive resolved",
    "AllergyIntolerance.verificationStatus": "unconfirmed presumed@5 confirmed refuted entered-in-error",
    "Condition.clinicalStatus": "active recurrence relapse inactive remission resolved unknown@5",
    "Condition.verificationStatus": "unconfirmed provisional differential confirmed refuted entered-in-error",
    "Measure.improvementNotation": "increase decrease",
    "MeasureReport.improvementNotation": "increase decrease",
}


def required_elements(r4, minimums, releases):
    """path -> names of the children that R4, R4B and R5 all require."""
    def step(types, path, name):
        """The path of an element's type, where elements of it may be required."""
        element = types[path].get(name) if path in types else None
        if not element or element[1]:
            return None
        of = element[0][0]
        return f"{path}.{name}" if of == "." else of.removeprefix("#") if of[0] == "#" or of in types else None

    own = {path: elements for path, (_, elements) in r4.items()}
    kept = {}
    for path in minimums:
        of, name = path.removesuffix("[x]").rsplit(".", 1)
        # The value of a primitive is no element in JSON.
        if name in own.get(of, {}):
            kept.setdefault(of, []).append(name)
    for types in releases.values():
        # Where a type of R4 is used, the later release may have another type, with other requirements.
        open_ = [(path, path) for path in own if "." not in path and path in types]
        seen = set(open_)
        while open_:
            path, later = open_.pop()
            if path in kept:
                kept[path] = [name for name in kept[path] if types[later].get(name, [False])[-1]]
            for name in own[path]:
                pair = step(own, path, name), step(types, later, name)
                if None not in pair and pair not in seen and pair[1] in types:
                    seen.add(pair)
                    open_.append(pair)
    return {path: names for path, names in kept.items() if names}


def main(source, required, definitions):
    r4 = r4_elements()
    found = {mark: Release(pathlib.Path(source) / "src" / folder) for folder, mark in RELEASES.items()}
    releases = {mark: release.walk() for mark, release in found.items()}
    lines = later_elements(r4, releases)
    (HERE / "later-elements.tsv").write_text("\n".join(lines) + "\n")
    bindings = {}
    for line in pathlib.Path(required).read_text().splitlines()[1:]:
        element, types, _, codes = line.split("\t")
        if types == "code":
            bindings[element] = codes.split()
    codes, varied = required_codes(r4, bindings, releases)
    rows = {}
    for path, by_code in codes.items():
        rows[path] = " ".join(code if "4" in marks else f"{code}@{marks}" for code, marks in by_code.items())
    rows.update(CONCEPTS)
    (HERE / "required-codes.tsv").write_text("".join(f"{path}\t{rows[path]}\n" for path in sorted(rows)))
    elements = [json.loads(line) for line in pathlib.Path(definitions).read_text().splitlines()]
    minimums = [element["path"] for element in elements if element["min"] and "." in element["path"]]
    names = required_elements(r4, minimums, releases)
    (HERE / "required-elements.tsv").write_text("".join(f"{path}\t{' '.join(names[path])}\n" for path in sorted(names)))
    searched = []
    for line in (SEARCH / "search-parameters.tsv").read_text().splitlines():
        of, code, kind, _, _, expression = line.split("\t")
        parts = [part.strip() for part in expression.split("|")]
        if kind == "token" and all(part in rows and part not in varied for part in parts):
            union = []
            for part in parts:
                union += [one.split("@")[0] for one in rows[part].split() if one.split("@")[0] not in union]
            searched.append(f"{of}\t{code}\t{' '.join(union)}")
    (SEARCH / "required-codes.tsv").write_text("\n".join(searched) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
