"""The VBA source of the add-in: one public function for each worksheet function; all else in it is private.

What is public in a module of an add-in, a cell of any workbook can call. So nothing else is: xlwings' own
VBA module, whose functions run Python code and read files, is not taken along; only the declaration of
its library is.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..catalogue import Function, catalogue
from ..cells import EXCEL_CODES

MODULE = "QnFunctions"
UDFS = "qnsolve_excel.xlam.udfs"  # the Python module that answers
LONGEST_LINE = 1023  # characters of a line that VBA takes
MOST_CONTINUED = 24  # continuations of a line that VBA takes
WIDTH = 120
LEFT_OUT = -2147352572  # DISP_E_PARAMNOTFOUND: what xlwings takes for an argument left out
WORDS = """
addressof alias and any array as attribute base binary boolean byref byte byval call case cbool cbyte ccur cdate cdbl cdec
cint clng clnglng clngptr close compare const csng cstr currency cvar cverr database date decimal declare defbool defbyte
defcur defdate defdbl defint deflng defobj defsng defstr defvar dim do double each else elseif empty end endif enum eqv
erase error event exit explicit false fix for friend function get global gosub goto if imp implements in input instr integer
is lbound len let lib like line lock long longlong longptr loop lset me mid mod module name new next not nothing now null
object on open option optional or output paramarray preserve print private property ptrsafe public put raiseevent random
read redim rem reset resume return rset seek select set sgn shared single spc static step stop strcomp string sub tab text
then thisworkbook timeserial to true type typename typeof ubound unlock until uses variant vartype wend width while with
withevents write xor
"""  # of the language, and what the wrappers use
RESERVED = frozenset(WORDS.split())

# how the module reaches Python; a test puts another one in its place
CONNECTION = """\
#If Win64 Then
{declared64}
Private Const QnLibrary As String = "{library64}"
#Else
{declared32}
Private Const QnLibrary As String = "{library32}"
#End If
Private Declare PtrSafe Function LoadLibraryW Lib "kernel32" (ByVal fileName As LongPtr) As LongPtr

Private Function QnAsked(ByVal functionName As String, ByVal given As Variant) As Variant
    QnAsked = QnServer().CallUDF("{udfs}", functionName, (given))
End Function

Private Function QnServer() As Object
    ' The library starts Python, or finds it running. Only this add-in's own sheet says which Python.
    Dim started As Variant
    Dim settings As Object
    If qnPython Is Nothing Then
        If Now < qnQuiet Then Err.Raise 513, "{module}", "Python did not start a moment ago"
        qnQuiet = Now + TimeSerial(0, 0, 10)
        Set settings = ThisWorkbook.Worksheets(1)
        If LoadLibraryW(StrPtr(CStr(settings.Range("{folder}").Value2) & "\\" & QnLibrary)) = 0 Then _
            Err.Raise 514, "{module}", "there is no " & QnLibrary
        If XLPyDLLActivateAuto(started, CStr(settings.Range("{command}").Value2), 1) <> 0 Then _
            Err.Raise 515, "{module}", CStr(started)
        Set qnPython = started
        qnQuiet = 0
    End If
    Set QnServer = qnPython
End Function

Private Sub QnForget()
    ' Python is gone: what is left of it goes too.
    Dim unused As Variant
    On Error Resume Next
    Set qnPython = Nothing
    XLPyDLLActivateAuto unused, CStr(ThisWorkbook.Worksheets(1).Range("{command}").Value2), -1
End Sub
"""

COMMON = """\
Private Function QnAnswer(ByVal functionName As String, ByVal given As Variant) As Variant
    ' A whole number is the code of an error value: answers that are numbers are never whole number types.
    Dim found As Variant
    Dim again As Boolean
    On Error GoTo Failed
Ask:
    found = QnAsked(functionName, given)
    If VarType(found) = vbLong Or VarType(found) = vbInteger Then
        QnAnswer = CVErr(found)
    Else
        QnAnswer = found
    End If
    Exit Function
Failed:
    ' HRESULTs of lost connections are of the facilities RPC and Win32. One new start, then #N/A.
    If Not again And ((Err.Number And &HFFFF0000) = &H80010000 Or (Err.Number And &HFFFF0000) = &H80070000) Then
        again = True
        QnForget
        Resume Ask
    End If
    QnAnswer = CVErr({not_available})
End Function

Private Function QnTaken(ByVal given As Variant) As Variant
    ' Values go to Python, not ranges: so the sheet is not asked while it calculates.
    Dim area As Object
    If IsObject(given) Then
        Set area = given
        If area.Areas.Count > 1 Then
            QnTaken = CVErr({value})
        Else
            QnTaken = QnUsed(area).Value2
        End If
    Else
        QnTaken = given
    End If
End Function

Private Function QnUsed(ByVal area As Object) As Object
    ' Whole columns and rows end where the sheet's last filled cell is.
    Dim used As Object
    Dim high As Long
    Dim wide As Long
    high = area.Rows.Count
    wide = area.Columns.Count
    Set QnUsed = area
    If high > 10000 Or wide > 1000 Then
        Set used = area.Worksheet.UsedRange
        If used.Row + used.Rows.Count - area.Row < high Then high = used.Row + used.Rows.Count - area.Row
        If used.Column + used.Columns.Count - area.Column < wide Then wide = used.Column + used.Columns.Count - area.Column
        If high < 1 Then high = 1
        If wide < 1 Then wide = 1
        Set QnUsed = area.Resize(high, wide)
    End If
End Function
"""

HELP = """\
Public Sub QnHelp()
    ' What the function dialog shows comes from this add-in's own sheet.
    Dim entries As Variant
    Dim texts() As String
    Dim i As Long
    Dim j As Long
    On Error Resume Next
    entries = ThisWorkbook.Worksheets(1).Range("{help}").Value2
    For i = 1 To UBound(entries, 1)
        If entries(i, 4) > 0 Then
            ReDim texts(1 To entries(i, 4))
            For j = 1 To entries(i, 4)
                texts(j) = entries(i, 4 + j)
            Next j
            Application.MacroOptions Macro:="'" & ThisWorkbook.Name & "'!" & entries(i, 1), Description:=entries(i, 3), _
                Category:=entries(i, 2), ArgumentDescriptions:=texts
        Else
            Application.MacroOptions Macro:="'" & ThisWorkbook.Name & "'!" & entries(i, 1), Description:=entries(i, 3), _
                Category:=entries(i, 2)
        End If
    Next i
    ThisWorkbook.Saved = True
End Sub
"""

ON_OPEN = """
Private Sub Workbook_Open()
    ' Later, as Excel takes no help texts while it starts.
    Application.OnTime Now, "'" & ThisWorkbook.Name & "'!QnHelp"
End Sub
"""


def source(connection: str, help_range: str, note: str) -> str:
    """The module.

    Parameters
    ----------
    connection : str
        Declares QnAsked, which takes the function and its arguments to Python, and QnForget.
    help_range : str
        Where the help texts are on the add-in's sheet.
    note : str
        A line for the reader of the module.
    """
    errors = {"not_available": EXCEL_CODES["#N/A"], "value": EXCEL_CODES["#VALUE!"]}
    head = ["Option Explicit", f"' {note}", "Private qnPython As Object", "Private qnQuiet As Date"]
    head.append(f"Private Const QnLeftOut As Long = &H{LEFT_OUT & 0xFFFFFFFF:08X}")
    parts = ["\n".join(head), connection, COMMON.format(**errors), HELP.format(help=help_range)]
    parts += [wrapper(function) for function in catalogue().values()]
    lines = [f'Attribute VB_Name = "{MODULE}"', *"\n".join(parts).split("\n")]
    check(lines)
    return "\r\n".join(lines).rstrip("\r\n") + "\r\n"


def wrapper(function: Function) -> str:
    """The VBA function of a worksheet function."""
    name = function.underlined
    heads = [
        f"Optional ByVal {spelled(a.name)} As Variant = QnLeftOut" if a.optional else f"ByVal {spelled(a.name)} As Variant"
        for a in function.arguments
    ]
    taken = [f"QnTaken({spelled(a.name)})" for a in function.arguments]
    lines = [
        *_broken(f"Public Function {name}(", heads, ") As Variant"),
        f"Attribute {name}.VB_Description = {quoted(function.summary)}",
        f'Attribute {name}.VB_ProcData.VB_Invoke_Func = " \\n14"',
        *_broken(f'    {name} = QnAnswer("{name}", Array(', taken, "))"),
        "End Function",
        "",
    ]
    return "\n".join(lines)


def spelled(name: str) -> str:
    """An argument's name, other than VBA's own words."""
    return f"{name}_" if name.lower() in RESERVED else name


def quoted(text: str) -> str:
    """A text in quotes for an attribute line, in which a backslash would begin an escape."""
    plain = " ".join(text.split()).replace("\\", "/").encode("cp1252", "replace").decode("cp1252")
    return '"' + plain.replace('"', '""') + '"'


def check(lines: Iterable[str]) -> None:
    """Raise ValueError where VBA would refuse a line."""
    continued = 0
    for number, line in enumerate(lines, 1):
        continued = continued + 1 if line.endswith(" _") else 0
        if len(line) > LONGEST_LINE:
            raise ValueError(f"line {number} of the VBA module has {len(line)} characters, more than {LONGEST_LINE}")
        if continued > MOST_CONTINUED:
            raise ValueError(
                f"line {number} of the VBA module is the {continued}th of one that goes on; VBA takes {MOST_CONTINUED}"
            )


def _broken(begin: str, items: list[str], end: str) -> list[str]:
    """One statement over as many lines as it needs."""
    lines, line = [], begin
    for i, item in enumerate(items):
        part = item + ("" if i + 1 == len(items) else ", ")
        if len(line) + len(part) > WIDTH:
            lines.append(line.rstrip() + " _")
            line = " " * 8
        line += part
    return [*lines, line + end]
