import type { Given } from '../../data/search.ts';

export function teamSearch(given: Given): { invite?: true } {
  return { invite: given.invite === true ? true : undefined };
}
