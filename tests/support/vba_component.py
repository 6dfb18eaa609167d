"""The other end of the add-in's VBA in LibreOffice: a UNO service that answers as xlwings' COM server does.

`tests/excel/workbooks/test_vba.py` puts it into an extension; LibreOffice's Python runs it.
"""

import os
import sys

sys.path[:0] = os.environ["QNSOLVE_VBA_PATH"].split(os.pathsep)

import unohelper  # noqa: E402
from com.sun.star.script import XInvocation  # noqa: E402

LEFT_OUT = -2147352572


class Server(unohelper.Base, XInvocation):
    def __init__(self, context):
        self.calls = 0

    def getIntrospection(self):  # noqa: N802
        return None

    def hasMethod(self, name):  # noqa: N802
        return name == "CallUDF"

    def hasProperty(self, name):  # noqa: N802
        return False

    def getValue(self, name):  # noqa: N802
        return None

    def setValue(self, name, value):  # noqa: N802
        pass

    def invoke(self, name, given, *_):
        from qnsolve_excel.xlam import udfs

        _module, function, arguments = given
        arguments = [udfs.OMITTED if argument == LEFT_OUT else argument for argument in arguments]
        rows = getattr(udfs, function)(*arguments)
        return (rows[0][0] if len(rows) == len(rows[0]) == 1 else tuple(map(tuple, rows))), (), ()


g_ImplementationHelper = unohelper.ImplementationHelper()  # noqa: N816
g_ImplementationHelper.addImplementation(Server, "org.qnsolve.vba.Server", ("org.qnsolve.vba.Server",))
