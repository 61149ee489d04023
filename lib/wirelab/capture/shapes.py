"""What a secret looks like: by its own shape, by what stands before it, and while only its beginning is there.

The patterns are for text that was decoded as Latin-1, a character a byte, so that they can work on half a body too.
"""

import re

_NAME = (
    r"(?:api[-_]?key|access[-_]?token|auth[-_]?token|authorization|client[-_]?secret|password|passwd|secret)"
    r"\\?[\"']?\s*[:=]\s*\\?[\"']?"
)
_VALUE = r"[A-Za-z0-9._~+/=-]"
_PRIVATE_KEY = r"-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*"

SHAPES = re.compile(
    r"\bsk-[A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, OpenRouter, LiteLLM
    r"|\bhf_[A-Za-z0-9]{20,}"  # Hugging Face
    r"|\bAIza[A-Za-z0-9_-]{30,}"  # Google
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"  # GitHub
    r"|\bglpat-[A-Za-z0-9_-]{16,}"  # GitLab
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"  # Slack
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"  # Amazon
    r"|\b(?:gsk|xai|pplx|r8|nvapi)[-_][A-Za-z0-9_-]{20,}"  # Groq, xAI, Perplexity, Replicate, NVIDIA
    r"|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"  # a signed JSON web token
    rf"|{_PRIVATE_KEY}(?:-----END [A-Z ]*PRIVATE KEY-----)?",
    re.ASCII,
)

AFTER_BEARER = re.compile(rf"(\b(?:bearer|basic)\s+)({_VALUE}{{20,}})", re.ASCII | re.IGNORECASE)
AFTER_NAME = re.compile(rf"({_NAME})([A-Za-z0-9._~+/-]{{20,}}={{0,2}})", re.ASCII | re.IGNORECASE)

HINTS = (
    "sk-", "hf_", "aiza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "akia", "asia",
    "gsk", "xai", "pplx", "r8_", "r8-", "nvapi", ".eyj", "-----begin", "bearer", "basic", "api-key", "api_key",
    "apikey", "ss_token", "ss-token", "sstoken", "th_token", "th-token", "thtoken", "authorization", "secret", "passw",
)  # fmt: skip
"""No pattern matches a text that holds none of these; looking for them is twenty times faster than the patterns."""

BEGUN = re.compile(
    r"(?:"
    r"\b(?:sk-|hf_|AIza|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|(?:gsk|xai|pplx|r8|nvapi)[-_]|eyJ)"
    r"[A-Za-z0-9._-]+"
    rf"|{_PRIVATE_KEY}(?:-{{1,5}}[A-Z ]*-{{0,5}})?"
    rf"|(?i:\b(?:bearer|basic)\s+{_VALUE}+)"
    rf"|(?i:{_NAME}{_VALUE}+)"
    r")\Z",
    re.ASCII,
)
"""The end of a text where a secret has begun that may not be complete yet."""
