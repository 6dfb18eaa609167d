"""What the server keeps between runs: its token, and its certificate for this machine alone."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path

from ..replacing import replacing

DAYS = 397  # a certificate of more is not trusted on a Mac
RENEWED = 30  # days before its end
HOST, ADDRESSES = "localhost", ("127.0.0.1", "::1")


@dataclass(frozen=True)
class Keys:
    """Token and files.

    Attributes
    ----------
    token : str
        Part of each address of the server; requests without it are refused.
    authority : Path
        Certificate to be trusted; its key is not kept once it has signed the server's.
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
    found = Keys(kept_token(folder), folder / "qnsolve-local.crt", folder / "server.pem")
    if _ends_soon(found):
        _certify(found)
    return found


def kept_token(folder: Path) -> str:
    """The token of this user, made where there is none."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = folder / "token"
    try:
        token = file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        token = ""
    if len(token) < 32 or not token.isalnum():
        token = secrets.token_hex(24)
        write_alone(file, token.encode())
    return token


def _ends_soon(found: Keys) -> bool:
    """Whether one of the two certificates is missing, ends soon, or is of a time before the present rules."""
    from cryptography import x509

    try:
        both = [x509.load_pem_x509_certificate(file.read_bytes()) for file in (found.authority, found.certificate)]
        both[0].extensions.get_extension_for_class(x509.NameConstraints)
    except (OSError, ValueError, x509.ExtensionNotFound):
        return True
    now = datetime.now(UTC)
    ends = [each.not_valid_after_utc for each in both]
    return min(ends) < now + timedelta(days=RENEWED) or max(ends) > now + timedelta(days=2 * DAYS)


def _certify(found: Keys) -> None:
    """An authority that can sign for this machine alone, and the server's certificate, which it signs; its key is not kept."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    signing, serving = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    addresses = [ip_address(name) for name in ADDRESSES]
    issuer = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "qnsolve, this machine only")])
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    names: list[x509.GeneralName] = [x509.DNSName(HOST), *(x509.IPAddress(address) for address in addresses)]
    permitted: list[x509.GeneralName] = [x509.DNSName(HOST), *(x509.IPAddress(ip_network(name)) for name in ADDRESSES)]
    usage = {"digital_signature": False, "content_commitment": False, "key_encipherment": False, "data_encipherment": False}
    usage |= {"key_agreement": False, "key_cert_sign": False, "crl_sign": False, "encipher_only": False, "decipher_only": False}

    def certificate(of: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        dated = x509.CertificateBuilder().not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(days=DAYS))
        named = dated.subject_name(of).issuer_name(issuer).public_key(key).serial_number(x509.random_serial_number())
        return named.add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)

    authority = (
        certificate(issuer, signing.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.KeyUsage(**{**usage, "key_cert_sign": True}), critical=True)
        .add_extension(x509.NameConstraints(permitted_subtrees=permitted, excluded_subtrees=None), critical=True)
        .sign(signing, hashes.SHA256())
    )
    server = (
        certificate(subject, serving.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(**{**usage, "digital_signature": True}), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), critical=False)
        .sign(signing, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    key = serving.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    write_alone(found.certificate, key + server.public_bytes(pem))
    write_alone(found.authority, authority.public_bytes(pem))


def write_alone(file: Path, content: bytes) -> None:
    """Write a file that only this user reads, whole or not at all."""
    with replacing(file) as beside:
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        beside.write_bytes(content)
