import { resolveContentLevel } from './content-level.ts';
import type { ContentPolicies, ContentPolicy, LoggableCall } from './content-log.ts';
import { compileRedaction } from './redaction/redact.ts';
import type { RedactionRules } from './redaction/rules.ts';

type CompiledRules = Readonly<Record<ContentPolicy['level'], ContentPolicy>>;

/** Logs what the account, the key and the header of a call ask for. Rules are compiled once. */
export class KeyPolicies implements ContentPolicies {
  readonly #compiled = new WeakMap<RedactionRules, CompiledRules>();

  of({ key, contentLevel = null }: LoggableCall): ContentPolicy | null {
    const { content: settings } = key;
    if (settings === undefined) return null;
    const hasZeroRetention = key.zeroRetention === true;
    const level = resolveContentLevel({ settings, hasZeroRetention, requested: contentLevel });
    return level === 'off' ? null : this.#compiledOf(settings.redaction)[level];
  }

  #compiledOf(rules: RedactionRules): CompiledRules {
    const known = this.#compiled.get(rules);
    if (known !== undefined) return known;
    const redaction = compileRedaction(rules);
    const compiled: CompiledRules = { metadata: { level: 'metadata', redaction }, full: { level: 'full', redaction } };
    this.#compiled.set(rules, compiled);
    return compiled;
  }
}
