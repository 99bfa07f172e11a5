//! Tests of the numbers of tests that the output of runners names.

use proptest::prelude::*;

use crate::counts::{RUNNERS, of};

#[test]
fn the_table_is_read_whole() {
    let table = toml::from_str::<toml::Table>(include_str!("../../../data/runners.toml")).unwrap();
    assert_eq!(table["runner"].as_array().unwrap().len(), RUNNERS.len());
}

#[test]
fn every_runner_is_understood() {
    for (output, ran, failed, skipped, by) in [
        (
            "running 3 tests\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            2,
            0,
            1,
            "libtest",
        ),
        (
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            0,
            0,
            0,
            "libtest",
        ),
        (
            "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured\ntest result: ok. 4 passed; 0 failed; 0 ignored;",
            7,
            1,
            0,
            "libtest",
        ),
        ("     Summary [   0.005s] 3 tests run: 3 passed, 2 skipped", 3, 0, 2, "nextest"),
        ("     Summary [   0.005s] 3/9 tests run: 2 passed, 1 failed, 0 skipped", 3, 1, 0, "nextest"),
        ("============ 3 passed, 1 skipped in 0.02s ============", 3, 0, 1, "pytest"),
        (
            "\u{1b}[31m==== \u{1b}[31m\u{1b}[1m1 failed\u{1b}[0m, \u{1b}[32m2 passed\u{1b}[0m\u{1b}[31m in 0.10s\u{1b}[0m",
            3,
            1,
            0,
            "pytest",
        ),
        ("2 passed in 0.01s", 2, 0, 0, "pytest"),
        ("1 failed, 2 passed, 1 warning, 1 error in 1.00s", 4, 2, 0, "pytest"),
        ("============ no tests ran in 0.01s ============", 0, 0, 0, "pytest"),
        ("Ran 0 tests in 0.000s\n\nOK", 0, 0, 0, "unittest"),
        ("Ran 3 tests in 0.001s", 3, 0, 0, "unittest"),
        (
            "--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n--- SKIP: TestC (0.00s)\nok  \tx\t0.003s",
            2,
            0,
            1,
            "go",
        ),
        ("?   \texample.org/x\t[no test files]", 0, 0, 0, "go"),
        (
            "{\"Time\":\"2026-01-01T00:00:00Z\",\"Action\":\"pass\",\"Package\":\"x\",\"Test\":\"TestA\",\"Elapsed\":0}",
            1,
            0,
            0,
            "go-json",
        ),
        ("TAP version 13\n1..3\nok 1 - a\nnot ok 2 - b\nok 3 # SKIP no database", 2, 1, 1, "tap"),
        ("1..0 # no tests", 0, 0, 0, "tap"),
        ("Tests:       1 failed, 2 passed, 3 total", 3, 1, 0, "jest"),
        ("Tests:       0 total", 0, 0, 0, "jest"),
        ("      Tests  1 failed | 3 passed (4)", 4, 1, 0, "vitest"),
        ("  3 passing (10ms)\n  1 failing", 4, 1, 0, "mocha"),
        ("[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1", 2, 0, 1, "surefire"),
        ("Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 1 ms", 3, 0, 0, "dotnet"),
        ("3 examples, 1 failure, 1 pending", 2, 1, 1, "rspec"),
        ("3 runs, 5 assertions, 0 failures, 0 errors, 0 skips", 3, 0, 0, "minitest"),
        ("OK (3 tests, 5 assertions)", 3, 0, 0, "phpunit"),
        ("Ran 3 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)", 2, 2, 1, "unittest"),
        ("Ran 2 tests in 0.001s\n\nOK (skipped=2)", 0, 0, 2, "unittest"),
        ("Ran 1 test in 0.001s\n\nFAILED (unexpected successes=1)", 1, 1, 0, "unittest"),
        ("No tests executed!", 0, 0, 0, "phpunit"),
        ("Tests: 3, Assertions: 3, Warnings: 1, Errors: 1.", 3, 1, 0, "phpunit"),
        ("Tests: 3, Assertions: 3, Failures: 1, Errors: 1, Incomplete: 1.", 2, 2, 1, "phpunit"),
        ("[INFO] No tests to run.", 0, 0, 0, "surefire"),
        ("No test is available in /x/a.dll. Make sure that", 0, 0, 0, "dotnet"),
        ("No test files found, exiting with code 0", 0, 0, 0, "vitest"),
        ("No tests found, exiting with code 0", 0, 0, 0, "jest"),
        ("      Tests  2 skipped (2)", 0, 0, 2, "vitest"),
        ("Tests:       2 skipped, 1 todo, 3 total", 0, 0, 3, "jest"),
        ("     Summary [   0.005s] 2 tests run: 1 passed, 1 timed out, 0 skipped", 2, 1, 0, "nextest"),
        ("     Summary [   0.005s] 2 tests run: 1 passed (1 slow), 1 exec failed, 3 skipped", 2, 1, 3, "nextest"),
        ("1 failed, 1 passed, 2 subtests passed in 0.10s", 2, 1, 0, "pytest"),
        ("1 xfailed, 2 warnings in 0.10s", 0, 0, 1, "pytest"),
        ("2 passed, 1 xfailed, 1 xpassed in 0.10s", 3, 0, 1, "pytest"),
        ("3 tests collected in 0.02s", 0, 0, 0, "pytest"),
        ("Ran 1 test in 0.001s\n\nOK (expected failures=1)", 0, 0, 1, "unittest"),
        ("      Tests  1 expected fail | 1 passed (2)", 1, 0, 1, "vitest"),
        ("[INFO] Tests are skipped.", 0, 0, 0, "surefire"),
        ("  Executable unittests src/lib.rs (target/debug/deps/x-1)", 0, 0, 0, "libtest"),
        ("Skipped! - Failed:     0, Passed:     0, Skipped:     3, Total:     3, Duration: 1 ms", 0, 0, 3, "dotnet"),
        (
            "100% tests passed, 0 tests failed out of 2\n\nThe following tests did not run:\n\t  1 - a (Skipped)",
            1,
            0,
            1,
            "ctest",
        ),
        ("> Task :test SKIPPED", 0, 0, 0, "gradle"),
        (
            "[==========] 2 tests from 1 test suite ran. (0 ms total)\n[  SKIPPED ] 2 tests, listed below:",
            0,
            0,
            2,
            "gtest",
        ),
        ("[doctest] test cases: 2 | 1 passed | 1 failed | 0 skipped", 2, 1, 0, "catch2"),
        ("Executed 0 out of 1 test: 1 was skipped.", 0, 0, 1, "bazel"),
        ("DONE 3 tests, 1 skipped, 1 failure in 0.5s", 2, 1, 1, "gotestsum"),
        ("3 specs, 1 failure, 1 pending spec", 2, 1, 1, "jasmine"),
        ("Chrome: Executed 3 of 3 (1 FAILED) (0.01 secs / 0.005 secs)", 3, 1, 0, "karma"),
        ("Chrome: Executed 0 of 3 (skipped 3) SUCCESS (0.01 secs)", 0, 0, 0, "karma"),
        ("3 scenarios (1 failed, 1 undefined, 1 passed)\n6 steps (5 passed)", 2, 1, 1, "cucumber"),
        ("2 scenarios passed, 1 failed, 1 skipped\n8 steps passed, 1 failed, 0 skipped", 3, 1, 1, "behave"),
        ("00:01 +2 ~1 -1: Some tests failed.", 3, 1, 1, "dart"),
        ("00:01 +0: No tests ran.", 0, 0, 0, "dart"),
        ("Running 2 test cases...\n*** 1 failure is detected in the test module", 2, 1, 0, "boost"),
        ("50%: Checks: 2, Failures: 1, Errors: 0", 2, 1, 0, "check"),
        ("               tests      2      2      1      1        0", 2, 1, 0, "cunit"),
        ("Cases: 2  Tried: 2  Errors: 0  Failures: 1", 2, 1, 0, "hunit"),
        ("1 out of 3 tests failed (0.00s)", 3, 1, 0, "tasty"),
        ("All 3 tests passed.", 3, 0, 0, "tasty"),
        ("0 of 0 test suites (0 of 0 test cases) passed.", 0, 0, 0, "cabal"),
        ("Test Successful in 0.001s. 0 tests run.", 0, 0, 0, "alcotest"),
        ("Test Summary: |\nx             | No tests", 0, 0, 0, "julia"),
        ("PASS: 1/2\nFAIL: 1/2", 2, 1, 0, "opa"),
        ("│              assertions │                  2 │                 1 │", 2, 1, 0, "newman"),
        ("Running 3 tests using 1 worker\n\n  3 skipped", 0, 0, 3, "playwright"),
        ("ℹ tests 3\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0", 2, 1, 1, "words"),
        ("# tests 0\n# pass 0\n# fail 0", 0, 0, 0, "words"),
        ("  2 tests passed\n  1 test failed", 3, 1, 0, "words"),
        ("Test summary: total: 3, failed: 1, succeeded: 2, skipped: 0, duration: 0.3s", 3, 1, 0, "words"),
        ("Total tests: 3\n     Passed: 2\n     Failed: 1\n Total time: 1 s", 3, 1, 0, "words"),
        ("3 tests, 1 passed, 1 failed, 1 skipped", 2, 1, 1, "words"),
        ("  Tests:    1 failed, 2 passed (3 assertions)", 3, 1, 0, "words"),
        ("0 successes / 0 failures / 0 errors / 2 pending : 0.0 seconds", 0, 0, 2, "words"),
        ("[ FAIL 1 | WARN 0 | SKIP 1 | PASS 3 ]", 4, 1, 1, "words"),
        ("[info] Tests: succeeded 1, failed 1, canceled 0, ignored 1, pending 0", 2, 1, 1, "words"),
        ("[         1 tests successful      ]\n[         1 tests failed          ]", 2, 1, 0, "words"),
        ("Total tests run: 2, Passes: 1, Failures: 1, Skips: 0", 2, 1, 0, "words"),
        ("Tests Passed: 0, Failed: 0, Skipped: 1 NotRun: 0", 0, 0, 1, "words"),
        ("Done. PASS=1 WARN=0 ERROR=1 SKIP=0 TOTAL=2", 2, 1, 0, "words"),
        ("Total: 3 Failed: 0 Passed: 3 Skipped: 1", 3, 0, 1, "words"),
        ("passed 3 failed 0", 3, 0, 0, "words"),
        ("2 tests passed 1 failed", 3, 1, 0, "words"),
        ("   INFO  No tests found.", 0, 0, 0, "words"),
        ("Error: no test specified", 0, 0, 0, "words"),
        ("TEST RUN INCOMPLETE because there are no tests to run!", 0, 0, 0, "words"),
        ("ok 1 - a\nok 2 - b\n1..2", 2, 0, 0, "tap"),
        ("50% tests passed, 1 tests failed out of 2", 2, 1, 0, "ctest"),
        ("100% tests passed, 0 tests failed out of 2", 2, 0, 0, "ctest"),
        ("Test project build\nNo tests were found!!!", 0, 0, 0, "words"),
        ("> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s", 0, 0, 0, "gradle"),
        ("> Task :app:testDebugUnitTest NO-SOURCE", 0, 0, 0, "gradle"),
        ("3 tests completed, 1 failed, 1 skipped", 2, 1, 1, "gradle"),
        (
            "Test Suite 'All tests' passed at 2026-01-01.\n\t Executed 0 tests, with 0 failures (0 unexpected) in 0.000 (0.000) seconds",
            0,
            0,
            0,
            "xctest",
        ),
        (
            "Test Suite 'A' passed\n\t Executed 2 tests, with 0 failures\nTest Suite 'All tests' passed at x\n\t Executed 3 tests, with 1 test skipped and 1 failure (0 unexpected)",
            2,
            1,
            1,
            "xctest",
        ),
        ("✔ Test run with 3 tests in 2 suites passed after 0.001 seconds.", 3, 0, 0, "swift-testing"),
        (" 0 pass\n 0 fail\nRan 0 tests across 1 files. [5.00ms]", 0, 0, 0, "bun"),
        (" 2 pass\n 1 fail\nRan 3 tests across 1 files. [5.00ms]", 3, 1, 0, "bun"),
        ("a.t .. skipped: no reason\nFiles=1, Tests=0,  0 wallclock secs\nResult: NOTESTS", 0, 0, 0, "prove"),
        ("Files=1, Tests=4,  0 wallclock secs\nResult: PASS", 4, 0, 0, "prove"),
        ("[info] No tests were executed.", 0, 0, 0, "words"),
        ("[info] Passed: Total 3, Failed 0, Errors 0, Passed 3", 3, 0, 0, "sbt"),
        ("[error] Failed: Total 3, Failed 1, Errors 1, Passed 1, Skipped 2", 3, 2, 2, "sbt"),
        ("SUCCESS! -- 0 Passed | 0 Failed | 0 Pending | 3 Skipped", 0, 0, 3, "ginkgo"),
        ("FAIL! -- 2 Passed | 1 Failed | 0 Pending | 0 Skipped", 3, 1, 0, "ginkgo"),
        ("[==========] 0 tests from 0 test suites ran. (0 ms total)", 0, 0, 0, "gtest"),
        (
            "[==========] 3 tests from 1 test suite ran. (0 ms total)\n[  FAILED  ] 1 test, listed below:",
            3,
            1,
            0,
            "gtest",
        ),
        ("All tests passed (5 assertions in 2 test cases)", 2, 0, 0, "catch2"),
        ("No tests ran", 0, 0, 0, "words"),
        ("test cases: 3 | 2 passed | 1 failed", 3, 1, 0, "catch2"),
        ("3 tests, 1 failure, 1 skipped", 2, 1, 1, "exunit"),
        ("2 doctests, 3 tests, 0 failures", 3, 0, 0, "exunit"),
        ("Ran 0 tests containing 0 assertions.\n0 failures, 0 errors.", 0, 0, 0, "clojure"),
        ("ok | 3 passed (2 steps) | 0 failed (5ms)", 3, 0, 0, "deno"),
        ("FAILED | 1 passed | 2 failed (5ms)", 3, 2, 0, "deno"),
        ("  2 failed\n    a.spec.ts:3:1\n  3 passed (1.2s)", 5, 2, 0, "playwright"),
        ("Error: No tests found", 0, 0, 0, "words"),
        ("Ok:                 3   \nFail:               1   ", 4, 1, 0, "meson"),
        ("No tests defined.", 0, 0, 0, "words"),
        ("Executed 2 out of 2 tests: 1 test passes and 1 fails locally.", 2, 1, 0, "bazel"),
        ("ERROR: No test targets were found, yet testing was requested", 0, 0, 0, "words"),
    ] {
        let counts = of(output, false).unwrap_or_else(|| panic!("nothing was understood of {output}"));
        assert_eq!((counts.ran, counts.failed, counts.skipped), (ran, failed, skipped), "{output}");
        assert_eq!(counts.by, [by], "{output}");
    }
}

#[test]
fn what_failed_beside_tests_is_told() {
    for (output, ran, broken, by) in [
        ("0 examples, 0 failures, 1 error occurred outside of examples", 0, 1, "rspec"),
        ("Test Suites: 1 failed, 2 passed, 3 total\nTests:       3 passed, 3 total", 3, 1, "jest"),
        (" Test Files  1 failed | 1 passed (2)\n      Tests  3 passed (3)\n     Errors  1 error", 3, 2, "vitest"),
        ("FAIL\tx/y [build failed]", 0, 1, "go"),
        ("ok  \tx\t0.003s\nFAIL\tx/y [build failed]", 0, 1, "go"),
        ("{\"Time\":\"2026-01-01T00:00:00Z\",\"Action\":\"fail\",\"Package\":\"x\",\"Elapsed\":0}", 0, 1, "go-json"),
        ("1..5\nok 1 - a", 1, 4, "tap"),
        ("TAP version 13\n1..2\nok 1\nBail out! no database", 1, 2, "tap"),
        ("TAP version 13\n1..2", 0, 2, "tap"),
        ("Files=1, Tests=4,  0 wallclock secs\nResult: FAIL", 4, 1, "prove"),
        ("The following tests FAILED:\n\t  2 - b (Failed)", 0, 1, "words"),
        ("There are failing tests.", 0, 1, "words"),
        ("Test Summary: | Pass  Fail  Total\nx             |    1     1      2", 0, 1, "julia"),
    ] {
        let counts = of(output, false).unwrap_or_else(|| panic!("nothing was understood of {output}"));
        assert_eq!((counts.ran, counts.failed, counts.broken), (ran, 0, broken), "{output}");
        assert_eq!(counts.by, [by], "{output}");
    }
}

#[test]
fn a_plan_is_held_against_all_of_the_output_alone() {
    assert_eq!(of("1..5\nok 5 - e", true).unwrap().broken, 0);
    assert_eq!(of("1..5\n2 passed in 0.10s", false).unwrap().broken, 0);
}

#[test]
fn a_package_without_tests_says_nothing_of_others() {
    assert_eq!(of("?   \tx/a\t[no test files]\nok  \tx/b\t0.003s", false), None);
    assert_eq!(of("?   \tx/a\t[no test files]\nok  \tx/b\t(cached)", false), None);
    assert_eq!(of("--- SKIP: TestA (0.00s)\nok  \tx/b\t0.003s", false).unwrap().ran, 0);
    assert_eq!(of("ok  \tx/b\t0.003s [no tests to run]", false).unwrap().ran, 0);
    let without_resources = "> Task :compileTestJava NO-SOURCE\n> Task :processTestResources NO-SOURCE\n";
    assert_eq!(of(without_resources, false), None);
    assert_eq!(of("> Task :a:test NO-SOURCE\n> Task :b:test\n", false), None);
}

#[test]
fn what_is_no_summary_counts_nothing() {
    for output in [
        "",
        "ok\tx\t0.003s",
        "All tests pass.",
        "ok 1 - not TAP without its plan",
        "in 3s",
        "3 passed the door",
        "Failed: 1",
        "found 2 errors",
        "Checked that no tests were skipped",
        "2 skipped",
        "Tasks:    1 successful, 1 total",
        "OK (skipped=2)",
        "1..5",
    ] {
        assert_eq!(of(output, false), None, "{output}");
    }
}

proptest! {
    #[test]
    fn never_panics(output in "[ -~\\n\u{1b}]{0,200}") {
        let _ = of(&output, false);
    }
}
