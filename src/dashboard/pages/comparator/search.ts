import { oneOf, nonEmptyText, type UntrustedSearch } from '../../data/search.ts';
import type { ComparisonKind } from '../../generated/graphql.ts';
import type { Capability } from '../playground/capabilities.ts';

export const kinds = ['CHAT', 'IMAGE', 'SPEECH', 'EMBEDDINGS'] as const satisfies readonly ComparisonKind[];
/** The server's limit. */
export const MAX_LANES = 8;

export const kindTitles: Readonly<Record<ComparisonKind, string>> = {
  CHAT: 'Chat',
  IMAGE: 'Images',
  SPEECH: 'Speech',
  EMBEDDINGS: 'Embeddings',
};

/** The capability that a model needs. */
export const capabilityOf = {
  CHAT: 'chat',
  IMAGE: 'images',
  SPEECH: 'speech',
  EMBEDDINGS: 'embeddings',
} as const satisfies Readonly<Record<ComparisonKind, Capability>>;

export interface ComparatorSearch {
  readonly kind?: ComparisonKind;
  /** The selected models. */
  readonly models?: readonly string[];
  /** Filters the list by part of a name or prompt. */
  readonly find?: string;
  readonly only?: 'shared' | 'voted' | 'running';
  /** The logged request that fills the form: ID of a `UsageLog`. */
  readonly replay?: string;
}

export function comparatorSearch(input: UntrustedSearch): ComparatorSearch {
  const models = Array.isArray(input.models) ? input.models.filter((each) => typeof each === 'string') : [];
  return {
    kind: oneOf(kinds, input.kind),
    models: models.length > 0 ? [...new Set(models)].slice(0, MAX_LANES) : undefined,
    find: nonEmptyText(input.find),
    only: oneOf(['shared', 'voted', 'running'], input.only),
    replay: nonEmptyText(input.replay),
  };
}
