#!/bin/sh
echo "this must not run" >&2
exit 3
