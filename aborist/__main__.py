"""`python -m aborist`."""

import sys

from aborist.cli import main

sys.exit(main())
