#!/usr/bin/env bash
# Ends the action with the exit code of meshlint.
set -euo pipefail

case "$EXIT_CODE" in
  0) ;;
  1) echo "::error title=meshlint::there are findings of severity '$INPUT_FAIL_ON' or above" ;;
  2) echo "::error title=meshlint::the arguments or the configuration are wrong, see the step before" ;;
  *) echo "::error title=meshlint::internal error, see the step before" ;;
esac
exit "$EXIT_CODE"
