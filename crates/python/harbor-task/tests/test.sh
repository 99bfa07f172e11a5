#!/bin/bash
# reward.json is written only if verdict and score are certain. Harbor then reports an error of the verifier and not a reward
# of 0; --fail-closed writes 0 instead.
# The work does not say where the truth is.
rm -f "${APP:-/app}/sandbox/sandbox.toml"
candor check "${TESTS:-/tests}/task.yaml" --sandbox "${APP:-/app}/sandbox" --reward-dir "${LOGS:-/logs/verifier}" --format text
