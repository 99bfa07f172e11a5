#!/bin/bash
# Writes the files of this folder: what real tools print about small broken projects, standard output before standard
# error, as `candor_process::diagnostics` is given it. The tools must be on PATH; node modules are taken from the folder
# JS_MODULES (npm install eslint typescript jest vitest). Maven is given MVN_OPTIONS; without a network, Debian's
# maven-debian-helper and libsurefire-java do, with "-o -s /etc/maven/settings-debian.xml".
# One whose tool is missing is left as it is. Paths of this machine are replaced by /project.
set -u
unset RUST_BACKTRACE
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
export CI=true NO_COLOR=1 CARGO_TERM_COLOR=never CARGO_NET_OFFLINE=true PYTHONDONTWRITEBYTECODE=1

# project NAME: an empty folder to be in.
project() { mkdir -p "$root/$1" && cd "$root/$1" || exit 1; }

# run NAME COMMAND…: its output as NAME.txt.
run() {
    name=$1; shift
    command -v "$1" >/dev/null || { echo "$name: $1 is not installed, left as it is" >&2; return; }
    "$@" > "$root/out" 2> "$root/err" < /dev/null
    echo "$name: exit $?" >&2
    cat "$root/out" "$root/err" | sed -e "s#$PWD#/project#g" -e "s#$root#/tmp#g" -e "s#$HOME#/home#g" \
        -e 's#/[^ ]*/js/node_modules#/project/node_modules#g' > "$here/$name.txt"
}

version() { command -v "$1" >/dev/null && echo "$1: $("$@" 2>/dev/null | grep -m1 '[0-9]' | sed 's/\x1b\[[0-9;]*m//g')"; }
{
    version cargo --version; version rustc --version; version python3 --version; version pytest --version
    version ruff --version; version mypy --version; version node --version
    for tool in eslint tsc jest vitest; do echo "$tool: $("$JS_MODULES/.bin/$tool" --version | head -1)"; done
    version go version; version mvn --batch-mode --version; version gcc --version; version make --version
} > "$here/VERSIONS"

project cargo-build
cat > Cargo.toml <<'X'
[package]
name = "calc"
version = "0.1.0"
edition = "2021"
[workspace]
X
mkdir -p src
printf 'pub fn add(a: i32) -> i32 { a + c }\npub fn sub() -> i32 { "x" }\n' > src/lib.rs
run cargo-build cargo build
printf 'all:\n\t@echo building\n\tcargo build\n' > Makefile
run make-cargo make
run rustc rustc --crate-type lib src/lib.rs

project cargo-test
cp ../cargo-build/Cargo.toml . && mkdir -p src
cat > src/lib.rs <<'X'
pub fn add(a: i32, b: i32) -> i32 { a - b }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() { assert_eq!(add(1, 2), 3); }
    #[test]
    fn adds_nothing() { assert_eq!(add(1, 0), 1); }
    #[test]
    fn fails_with_a_reason() { panic!("no such member: W1"); }
}
X
run cargo-test cargo test
printf 'pub fn a(x: &Vec<i32>) -> bool { x.len() == 0 }\n' > src/lib.rs
run cargo-clippy cargo clippy -- -D warnings

project python
cat > calc.py <<'X'
import os
import sys


def add(a, b):
    return a - b


def total(a: int) -> str:
    return a + 1
X
cat > test_calc.py <<'X'
import unittest
from calc import add


class AddTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)

    def test_nothing(self):
        self.assertEqual(add(1, 0), 1)

    def test_breaks(self):
        add(None, 1)
X
run unittest python3 -m unittest
run pytest pytest
run pytest-q pytest -q
run pytest-no-summary pytest --tb=short -r N
run ruff ruff check --no-cache .
run ruff-concise ruff check --no-cache --output-format concise .
run mypy mypy --no-incremental calc.py
run python-traceback python3 -c 'import calc; calc.add(None, 1)'
printf 'def add(a, b:\n    return a\n' > broken.py
run python-syntax python3 -m py_compile broken.py
project python-import
printf 'import nothing_of_this_name\n\ndef test_a():\n    pass\n' > test_a.py
run pytest-import pytest
run unittest-import python3 -m unittest

project node
cat > sum.test.js <<'X'
const test = require('node:test');
const assert = require('node:assert');
const sum = (a, b) => a - b;

test('adds', () => { assert.strictEqual(sum(1, 2), 3); });
test('adds nothing', () => { assert.strictEqual(sum(1, 0), 1); });
test('of several', async (t) => {
  await t.test('adds negatives', () => { assert.strictEqual(sum(-1, -2), -3); });
});
X
run node-test node --test
run node-test-spec node --test --test-reporter spec
printf 'const a = ;\n' > broken.js
run node-syntax node broken.js
printf 'require("./nothing");\n' > missing.js
run node-missing node missing.js

project js
ln -s "$JS_MODULES" node_modules
cat > package.json <<'X'
{ "name": "calc", "version": "1.0.0", "scripts": { "lint": "eslint a.js" } }
X
cat > eslint.config.js <<'X'
module.exports = [{ files: ["**/*.js"], rules: { "no-unused-vars": "error", "eqeqeq": "error", "no-console": "warn" } }];
X
printf 'const x = 1;\nif (1 == 2) console.log(2);\n' > a.js
run eslint node_modules/.bin/eslint a.js
run npm-eslint npm run lint
run npm-missing npm run nothing
printf 'const a: number = "x";\nexport function f(): string { return missing; }\n' > a.ts
run tsc node_modules/.bin/tsc --noEmit a.ts
run tsc-pretty node_modules/.bin/tsc --noEmit --pretty a.ts
mkdir jest vitest
cat > jest/sum.test.js <<'X'
const sum = (a, b) => a - b;
describe('sum', () => {
  test('adds', () => { expect(sum(1, 2)).toBe(3); });
  test('adds nothing', () => { expect(sum(1, 0)).toBe(1); });
});
test('throws', () => { throw new Error('no credentials'); });
X
printf 'const x = require("./nothing");\ntest("a", () => {});\n' > jest/missing.test.js
run jest node_modules/.bin/jest --rootDir jest
{ echo "import { test, describe, expect } from 'vitest';"; cat jest/sum.test.js; } > vitest/sum.test.js
printf 'import { test } from "vitest";\nimport x from "./nothing";\ntest("a", () => {});\n' > vitest/missing.test.js
run vitest node_modules/.bin/vitest run --root vitest

project go
printf 'module example.org/calc\n\ngo 1.19\n' > go.mod
printf 'package calc\n\nfunc Add(a, b int) int { return a - c }\n' > calc.go
run go-build go build ./...
printf 'package calc\n\nfunc Add(a, b int) int { return a - b }\n' > calc.go
cat > calc_test.go <<'X'
package calc

import "testing"

func TestAdd(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("Add(1, 2) = %d, want 3", got)
	}
}

func TestNothing(t *testing.T) {}

func TestSeveral(t *testing.T) {
	t.Run("negative", func(t *testing.T) { t.Fatal("no such member") })
}
X
run go-test go test ./...
run go-test-json go test -json ./...
printf 'package calc\n\nimport "testing"\n\nfunc TestPanics(t *testing.T) { var m map[string]int; m["a"] = 1 }\n' > calc_test.go
run go-panic go test ./...
printf 'package calc\n\nimport "fmt"\n\nfunc Say() { fmt.Printf("%%d", "x") }\n' > calc.go
run go-vet go vet ./...

project c
printf '#include <stdio.h>\nint main(void) { return missing; }\n' > a.c
run gcc gcc -c a.c
printf 'int other(void);\nint main(void) { return other(); }\n' > b.c
run gcc-link gcc b.c -o b
printf 'all: a.o\na.o: a.c\n\tgcc -c a.c\n' > Makefile
run make-gcc make
run make-missing make nothing
printf 'all:\n\tno-such-program --now\n' > Makefile
run make-not-found make

project maven
mkdir -p src/main/java src/test/java
cat > pom.xml <<'X'
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId><artifactId>calc</artifactId><version>1</version>
  <properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
    <scope>test</scope></dependency></dependencies>
</project>
X
printf 'public class Calc {\n    static int add(int a, int b) { return a - c; }\n}\n' > src/main/java/Calc.java
run mvn-compile mvn ${MVN_OPTIONS:-} --batch-mode compile
printf 'public class Calc {\n    static int add(int a, int b) { return a - b; }\n}\n' > src/main/java/Calc.java
cat > src/test/java/CalcTest.java <<'X'
import static org.junit.Assert.assertEquals;
import org.junit.Test;

public class CalcTest {
    @Test public void adds() { assertEquals(3, Calc.add(1, 2)); }
    @Test public void addsNothing() { assertEquals(1, Calc.add(1, 0)); }
    @Test public void breaks() { throw new IllegalStateException("no credentials"); }
}
X
run mvn-test mvn ${MVN_OPTIONS:-} --batch-mode test
run javac javac -d out src/main/java/Calc.java src/test/java/CalcTest.java
