"""XML text as a tree, without entities; numbers and names out of it, each refused in one line."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from qnsolve.errors import ModelError
from qnsolve.model import checks

MARK = "qnsolve"  # the processing instruction that stores what JMVA cannot express


class _Builder(ET.TreeBuilder):
    """A tree of elements only; a document type is refused before it can define an entity."""

    kept = ""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise ModelError("file", "has a document type, which could define entities", "remove <!DOCTYPE ...>", name)

    def pi(self, target: str, text: str | None = None) -> Any:
        if target == MARK:
            self.kept = text or ""
        return ET.ProcessingInstruction(target, text)


def parsed(source: str | bytes) -> tuple[ET.Element, str]:
    """The root element, and the original that `write` stored beside it; bytes are read in the encoding they declare."""
    builder = _Builder()
    parser = ET.XMLParser(target=builder)
    try:
        parser.feed(source)
        return parser.close(), builder.kept
    except (ET.ParseError, ValueError, LookupError) as error:  # no XML; bytes or an encoding that Python does not know
        if isinstance(error, ModelError):
            raise
        raise ModelError("file", f"is not valid XML:  {error}", "correct it there, or save it from JMT again") from None


def only(parent: ET.Element, tag: str, item: str) -> ET.Element:
    """The one child of that name."""
    found = parent.findall(tag)
    if not found:
        raise ModelError(item, f"has no <{tag}>", "save the model from JMVA again")
    if len(found) > 1:
        raise ModelError(item, f"has <{tag}> more than once", "keep one", len(found))
    return found[0]


def attribute(element: ET.Element, key: str, item: str) -> str:
    """An attribute that must be there."""
    if key not in element.attrib:
        raise ModelError(item, f"<{element.tag}> has no {key}", f'write {key}="..."')
    return element.attrib[key]


def named(element: ET.Element, item: str) -> str:
    """The name of a class or station."""
    return checks.text(f"{item}: name", attribute(element, "name", item))


def figure(text: str | None, item: str) -> float:
    """A number, zero or more, in Java's notation."""
    try:
        return checks.number(item, float((text or "").strip()))
    except ModelError:
        raise
    except ValueError:
        raise ModelError(item, "must be a number", "write it as 0.25 or 2.5E-1", text) from None


def whole(text: str, item: str) -> int:
    """A whole number, of any sign."""
    try:
        return int(text.strip())
    except ValueError:
        raise ModelError(item, "must be a whole number", "write it without a decimal point", text) from None


def counted(parent: ET.Element, item: str) -> list[ET.Element]:
    """The child elements, as many as the attribute `number` states."""
    children = list(parent)
    number = parent.get("number")
    if number is not None and whole(number, f"{item}: number") != len(children):
        raise ModelError(f"{item}: number", f"must be the number of its elements, {len(children)}", "correct it", number)
    return children
