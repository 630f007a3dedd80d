import { resolveContentLevel } from './content-level.ts';
import type { ContentPolicies, ContentPolicy, LoggableCall } from './content-log.ts';
import { compileRedaction } from './redaction/redact.ts';
import type { RedactionRules } from './redaction/rules.ts';

type PolicyLog = { warn(fields: object, message: string): void };
type CompiledRules = Readonly<Record<ContentPolicy['level'] | 'searchable', ContentPolicy>>;

/** Logs what the account, the key and the header of a call ask for. Rules are compiled once. */
export class KeyPolicies implements ContentPolicies {
  /** Null for rules that cannot be compiled: nothing may be stored without them. */
  readonly #compiled = new WeakMap<RedactionRules, CompiledRules | null>();
  readonly #log: PolicyLog;

  constructor(log: PolicyLog) {
    this.#log = log;
  }

  of({ key, contentLevel = null }: LoggableCall): ContentPolicy | null {
    const { content: settings } = key;
    if (settings === undefined) return null;
    const hasZeroRetention = key.zeroRetention === true;
    const level = resolveContentLevel({ settings, hasZeroRetention, requested: contentLevel });
    if (level === 'off') return null;
    // The shape of a content has no text to search in.
    const kind = level === 'full' && settings.isSearchable ? 'searchable' : level;
    return this.#compiledOf(settings.redaction, key.accountId)?.[kind] ?? null;
  }

  #compiledOf(rules: RedactionRules, accountId: string): CompiledRules | null {
    const known = this.#compiled.get(rules);
    if (known !== undefined) return known;
    const compiled = this.#compile(rules, accountId);
    this.#compiled.set(rules, compiled);
    return compiled;
  }

  /** A stored expression may be one that a later version of the engine refuses. */
  #compile(rules: RedactionRules, account: string): CompiledRules | null {
    try {
      const redaction = compileRedaction(rules);
      return {
        metadata: { level: 'metadata', redaction, isSearchable: false },
        full: { level: 'full', redaction, isSearchable: false },
        searchable: { level: 'full', redaction, isSearchable: true },
      };
    } catch (err) {
      this.#log.warn({ err, account }, 'content is not logged: an expression of the redaction cannot be used');
      return null;
    }
  }
}
