import type { OtherClaim, SharedClaims, SharedState } from '../../src/gateway/idempotency/shared-claims.ts';

interface Entry extends OtherClaim {
  readonly owner: object;
}

/** What several gateways of one test have in common, as processes have a Redis. */
export class MemoryClaims {
  readonly #entries = new Map<string, Entry>();
  readonly #answers = new Map<string, Buffer>();

  /** As one process sees it. */
  process(): SharedClaims {
    const owner = {};
    const isOwn = (scope: string): boolean => {
      const entry = this.#entries.get(scope);
      return entry?.owner === owner && entry.state === 'running';
    };
    return {
      claim: async (scope, fingerprint) => {
        const other = this.#entries.get(scope);
        if (other !== undefined && !isOwn(scope)) return other;
        this.#entries.set(scope, { owner, state: 'running', fingerprint });
        return null;
      },
      free: (scope) => void (isOwn(scope) && this.#entries.delete(scope)),
      ended: (scope, state: SharedState, answer) => {
        const entry = this.#entries.get(scope);
        if (entry === undefined || !isOwn(scope)) return;
        this.#entries.set(scope, { ...entry, state });
        if (answer !== null) this.#answers.set(scope, answer.seal());
      },
      answer: async (scope) => {
        const found = this.#answers.get(scope);
        if (found === undefined) throw new Error('no answer');
        return found;
      },
    };
  }
}
