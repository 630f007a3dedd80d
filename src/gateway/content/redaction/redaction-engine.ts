import { patternsFault } from './custom-pattern.ts';
import { compileRedaction, type Redactor } from './redact.ts';
import type { RedactionCounts, RedactionRules } from './rules.ts';

/** Compiled rules, by their identity. */
const compiled = new WeakMap<RedactionRules, Redactor>();

/** The compiled form of rules that are used for many requests. */
export function redactorOf(rules: RedactionRules): Redactor {
  const known = compiled.get(rules);
  if (known !== undefined) return known;
  const redactor = compileRedaction(rules);
  compiled.set(rules, redactor);
  return redactor;
}

/** Redaction as the settings of accounts need it. */
export const redactionEngine = {
  fault: patternsFault,
  redactText: (rules: RedactionRules, text: string): { text: string; counts: RedactionCounts } =>
    redactorOf(rules).redactText(text),
};
