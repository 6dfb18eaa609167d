"""python -m qnsolve."""

import sys

from .cli.main import main

sys.exit(main())
