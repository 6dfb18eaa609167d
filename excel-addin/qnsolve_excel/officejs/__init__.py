"""Office.js custom functions: Excel on Mac, on the web, and without macros, served by this machine to itself."""
