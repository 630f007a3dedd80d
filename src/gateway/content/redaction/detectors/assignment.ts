import type { Report } from './detector.ts';

const assignment =
  /(pass(?:word|wd|phrase|code)|pwd|secret|token|credentials?|(?:api|access|account|private|secret|auth|encryption|signing)[-_ ]?key)[\w-]{0,16}(?:\\{0,3}["'`])?\s{0,3}(?:=>|[:=])\s{0,3}((?:\\{0,3}["'`])?)([^\s"'`,;<>(){}[\]\\]{4,})/dgi;

/** A text without one of these has no assignment. */
const hint = /pass|pwd|secret|token|key|cred/i;

/** Members of objects whose text is a secret. */
const secretName =
  /(?:pass(?:word|wd|phrase|code)|pwd|secret|(?:api|access|account|private|auth|encryption|signing)[-_]?key|(?:access|refresh|auth|id|bearer|session|api)[-_]?token|authorization)$/i;

/** Values that name a secret without being one: references to the environment, and words of documentation. */
const reference =
  /^(?:\$|%|process\.env|os\.environ|env\.|import\.meta|\.{3}|\*+$|x+$)|^(?:null|none|true|false|undefined|required|optional|string|boolean|number)$/i;

/** Values of assignments such as `password=…` and `api_key: …`, where they look random or are quoted passwords. */
export function findAssignments(text: string, report: Report): void {
  if (!hint.test(text)) return;
  for (const { 1: name = '', 2: quote, 3: value = '', indices } of text.matchAll(assignment)) {
    const range = indices?.[3];
    if (range === undefined || !isSecretValue(value, isPassword(name), quote !== '')) continue;
    report(range[0], range[1]);
  }
}

/** Whether a member with this name can hold a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Whether the text of a member with such a name is a secret. */
export function isSecretValueOf(name: string, text: string): boolean {
  return isSecretValue(text, isPassword(name), true);
}

function isPassword(name: string): boolean {
  return /^(?:.{0,40}[-_])?(?:pass|pwd)/i.test(name) || /pass(?:word|wd|phrase)$/i.test(name);
}

function isSecretValue(value: string, isOfPassword: boolean, isQuoted: boolean): boolean {
  if (value.length < 4 || value.startsWith('[redacted:') || reference.test(value)) return false;
  const isMixed = /\d/.test(value) && /[A-Za-z]/.test(value);
  if (isOfPassword) return isQuoted || /[^A-Za-z]/.test(value.replace(/[.!?]$/, '')) || /[a-z][A-Z]/.test(value);
  if (value.length < 8) return false;
  return isMixed || (value.length >= 20 && new Set(value).size >= 10 && !/\s/.test(value));
}
