const REMOVED = '[removed]';

/** Key formats of providers and of Sluice. Providers quote masked keys: `sk-abc***xyz`. */
const keyFormats =
  /\b(?:sk|pk|rk|ak|gsk|xai|hf|r8|pplx|nvapi|csk|fw|tgp|jina|pa|whsec|ghp|gho|github_pat)[-_][\w*.…-]{5,}[\w*]|\b(?:AIza|ya29\.|AKIA|ASIA|eyJ)[\w*.…-]{7,}[\w*]/g;
const namedSecrets =
  /\b((?:bearer|basic)\s+|(?:api[-_ ]?key|x-api-key|authorization|access[-_ ]?token|token|secret|password)["']?(?:\s+provided)?\s*[:=]\s*["']?(?:(?:bearer|basic)\s+)?)[^\s"',;<>]{3,}[^\s"',;<>.]/gi;
const userInUrl = /(\/\/)[^\s/@]+@/g;
/** Longer than a model name or request id: a key, a signature or encoded content. */
const opaque = /[A-Za-z0-9_+/=*]{36,}/g;

/** Removes the given secrets, and everything in the format of a secret, from a provider's message. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) redacted = redacted.replaceAll(secret, REMOVED);
  return redacted
    .replace(userInUrl, `$1${REMOVED}@`)
    .replace(namedSecrets, `$1${REMOVED}`)
    .replace(keyFormats, REMOVED)
    .replace(opaque, REMOVED);
}
