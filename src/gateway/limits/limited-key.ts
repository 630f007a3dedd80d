import type { KeyRecord, PlanTerms } from '../keys/key-directory.ts';

/** What limits depend on in a key, besides its bounds. */
export interface LimitedKey extends Pick<KeyRecord, 'id' | 'accountId' | 'memberId' | 'budgets'> {
  readonly plan: Pick<PlanTerms, 'overage'>;
}
