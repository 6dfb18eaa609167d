"""What the server keeps between runs: its token, and its certificate for this machine alone."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

DAYS = 397  # a certificate of more is not trusted on a Mac
RENEWED = 30  # days before its end
NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Keys:
    """Token and files.

    Attributes
    ----------
    token : str
        Stands in each address of the server; who does not know it gets nothing.
    authority : Path
        Certificate to be trusted; its key was thrown away when it had signed the server's.
    certificate : Path
        Key and certificate of the server.
    """

    token: str
    authority: Path
    certificate: Path


def home() -> Path:
    """Where they are kept, for this user alone."""
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "qnsolve"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "qnsolve"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "qnsolve"


def keys(folder: Path) -> Keys:
    """The kept ones, made where there are none or where they end soon."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = Keys(_token(folder / "token"), folder / "qnsolve-local.crt", folder / "server.pem")
    if _ends_soon(found):
        _certify(found)
    return found


def _token(file: Path) -> str:
    try:
        token = file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        token = ""
    if len(token) < 32 or not token.isalnum():
        token = secrets.token_hex(24)
        write_alone(file, token.encode())
    return token


def _ends_soon(found: Keys) -> bool:
    from cryptography import x509

    if not found.authority.exists():
        return True
    try:
        certificate = x509.load_pem_x509_certificate(found.certificate.read_bytes())
    except (OSError, ValueError):
        return True
    return certificate.not_valid_after_utc < datetime.now(UTC) + timedelta(days=RENEWED)


def _certify(found: Keys) -> None:
    import trustme

    end = datetime.now(UTC) + timedelta(days=DAYS)
    authority = trustme.CA(organization_name="qnsolve, this machine only")
    certificate = authority.issue_cert(*NAMES, not_after=end)
    write_alone(found.certificate, certificate.private_key_and_cert_chain_pem.bytes())
    write_alone(found.authority, authority.cert_pem.bytes())


def write_alone(file: Path, content: bytes) -> None:
    """Write a file that only this user reads, whole or not at all."""
    beside = file.with_name(file.name + ".part")
    beside.unlink(missing_ok=True)
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(content)
    beside.replace(file)
