"""python -m qnsolve."""

import sys

from .cli import main

sys.exit(main())
