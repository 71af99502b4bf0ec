"""For all tests of the tool: quiet.py says what they do not depend on, toys.py what they are tried on."""

from quiet import no_figure_stays_open, pytest_runtest_protocol  # noqa: F401  # hooks
from toys import answered, project  # noqa: F401  # fixtures
