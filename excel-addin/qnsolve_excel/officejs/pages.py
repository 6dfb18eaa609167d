"""What the server hands out, made from the catalogue: metadata, script, manifest, the page to try the functions."""

from __future__ import annotations

import json
import uuid
from functools import cache
from importlib.resources import files
from typing import Any
from xml.sax.saxutils import quoteattr

from qnsolve import __version__

from ..catalogue import NAMESPACE, Function, catalogue
from ..formula import parsed
from .wire import given

OFFICE = "https://appsforoffice.microsoft.com"
TYPES = {"number": "any", "whole": "any", "text": "any", "flag": "any", "numbers": "any", "table": "any", "any": "any"}


def static(name: str) -> bytes:
    """A file of the folder `static`."""
    return files(__package__).joinpath("static", name).read_bytes()


@cache
def metadata() -> str:
    """functions.json: names, arguments and help as Excel reads them."""
    found = {
        "$schema": "https://developer.microsoft.com/json-schemas/office-js/custom-functions.schema.json",
        "allowErrorForDataTypeAny": True,
        "functions": [_described(function) for function in catalogue().values()],
    }
    return json.dumps(found, indent=1, ensure_ascii=False)


def _described(function: Function) -> dict[str, Any]:
    parameters = [
        {
            "name": argument.name,
            "description": argument.help,
            "type": TYPES[argument.kind],
            "dimensionality": "matrix" if argument.is_range else "scalar",
            **({"optional": True} if argument.optional else {}),
        }
        for argument in function.arguments
    ]
    result = {"type": "any", "dimensionality": "matrix" if function.spills else "scalar"}
    found = {"id": function.name, "name": function.name, "description": function.summary}
    return {**found, "parameters": parameters, "result": result}


@cache
def script() -> str:
    """functions.js: what Excel runs; it hands all calls of one calculation to the server together."""
    names = json.dumps([[function.name, len(function.arguments)] for function in catalogue().values()])
    return static("functions.js").decode().replace("/* FUNCTIONS */ []", names)


@cache
def described() -> str:
    """catalogue.json: what the page shows."""
    found = [
        {
            "name": function.name,
            "usage": function.usage,
            "group": function.group,
            "summary": function.summary,
            "method": function.method,
            "arguments": [
                {"name": a.name, "kind": a.kind, "range": a.is_range, "optional": a.optional, "help": a.help}
                for a in function.arguments
            ],
            "example": [given(value) for value in parsed(function.examples[0])[1]],
        }
        for function in catalogue().values()
    ]
    return json.dumps(found, ensure_ascii=False)


def runtime() -> str:
    """functions.html: the page that Excel loads the script from."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>qnsolve</title>'
        f'<script src="{OFFICE}/lib/1/hosted/office.js"></script>'
        '<script src="functions.js"></script></head><body></body></html>'
    )


def manifest(base: str) -> str:
    """manifest.xml for the server at that address, its token included.

    Parameters
    ----------
    base : str
        Without a slash at its end.
    """
    name = uuid.uuid5(uuid.NAMESPACE_URL, "https://qnsolve.invalid/officejs")

    def at(page: str) -> str:
        return quoteattr(f"{base}/{page}")

    return f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<OfficeApp xmlns="http://schemas.microsoft.com/office/appforoffice/1.1"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:bt="http://schemas.microsoft.com/office/officeappbasictypes/1.0"
  xsi:type="TaskPaneApp">
  <Id>{name}</Id>
  <Version>{__version__}.0</Version>
  <ProviderName>qnsolve</ProviderName>
  <DefaultLocale>en-US</DefaultLocale>
  <DisplayName DefaultValue="qnsolve"/>
  <Description DefaultValue="Queueing functions for capacity planning, {len(catalogue())} of them"/>
  <IconUrl DefaultValue={at("icon-32.png")}/>
  <HighResolutionIconUrl DefaultValue={at("icon-64.png")}/>
  <SupportUrl DefaultValue={at("")}/>
  <Hosts><Host Name="Workbook"/></Hosts>
  <Requirements><Sets DefaultMinVersion="1.1"><Set Name="CustomFunctionsRuntime" MinVersion="1.2"/></Sets></Requirements>
  <DefaultSettings><SourceLocation DefaultValue={at("")}/></DefaultSettings>
  <Permissions>ReadWriteDocument</Permissions>
  <VersionOverrides xmlns="http://schemas.microsoft.com/office/taskpaneappversionoverrides" xsi:type="VersionOverridesV1_0">
    <Hosts><Host xsi:type="Workbook">
      <Runtimes><Runtime resid="Runtime" lifetime="long"/></Runtimes>
      <AllFormFactors><ExtensionPoint xsi:type="CustomFunctions">
        <Script><SourceLocation resid="Script"/></Script>
        <Page><SourceLocation resid="Runtime"/></Page>
        <Metadata><SourceLocation resid="Metadata"/></Metadata>
        <Namespace resid="Namespace"/>
      </ExtensionPoint></AllFormFactors>
    </Host></Hosts>
    <Resources>
      <bt:Urls>
        <bt:Url id="Script" DefaultValue={at("functions.js")}/>
        <bt:Url id="Metadata" DefaultValue={at("functions.json")}/>
        <bt:Url id="Runtime" DefaultValue={at("functions.html")}/>
      </bt:Urls>
      <bt:ShortStrings><bt:String id="Namespace" DefaultValue="{NAMESPACE}"/></bt:ShortStrings>
    </Resources>
  </VersionOverrides>
</OfficeApp>
"""
