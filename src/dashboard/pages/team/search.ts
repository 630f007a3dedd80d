import type { UntrustedSearch } from '../../data/search.ts';

export function teamSearch(input: UntrustedSearch): { invite?: true } {
  return { invite: input.invite === true ? true : undefined };
}
