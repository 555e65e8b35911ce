"""Everything that `import nubbin` provides."""

from ._algorithms import Difference, bisect, cdd, dd, ddmax, ddmin, hdd, wdd
from ._collector import FailureNotReproducedError, NoCallError, NotFailingError, NotPassingError
from ._debugger import DeltaDebugger
from ._difference import Isolated, isolate, maximize
from ._failure import AcceptsEmpty, Failure, Flaky
from ._nubbin import VERSION as __version__
from ._reduce import reduce
from ._result import PassReport, Progress, Proof, Reduction, Size, Step
from ._shrink import shrink
from ._trees import Language, Node, languages, parse
from ._verdict import NotFailing, NotPassing, Unresolved, Verdict

__all__ = [
    "AcceptsEmpty",
    "DeltaDebugger",
    "Difference",
    "Failure",
    "FailureNotReproducedError",
    "Flaky",
    "Isolated",
    "Language",
    "NoCallError",
    "Node",
    "NotFailing",
    "NotFailingError",
    "NotPassing",
    "NotPassingError",
    "PassReport",
    "Progress",
    "Proof",
    "Reduction",
    "Size",
    "Step",
    "Unresolved",
    "Verdict",
    "__version__",
    "bisect",
    "cdd",
    "dd",
    "ddmax",
    "ddmin",
    "hdd",
    "isolate",
    "languages",
    "maximize",
    "parse",
    "reduce",
    "shrink",
    "wdd",
]
