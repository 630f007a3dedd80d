import { useRouterState } from '@tanstack/react-router';
import { withoutFragment } from '../../data/fragment.ts';

export const INVITATION_PAGE = '/invitation';

/**
 * What stands behind the hash, such as the token of a link in a message: browsers send it to no server, so that it is in no log.
 * Messages of another make have it in the query; it is read from there too.
 */
export function useFragment(name: string): string | null {
  const { hash, href } = useRouterState({ select: ({ location }) => location });
  const query = href.includes('?') ? href.slice(href.indexOf('?')).split('#', 1)[0] : '';
  return new URLSearchParams(hash).get(name) ?? new URLSearchParams(query).get(name);
}

/**
 * Where to go once in. What stands behind the hash of the pages before belongs to that page, such as an invitation's token.
 * @param next its path
 */
export function useGoal(next: string | undefined): string | undefined {
  const href = useRouterState({ select: ({ location }) => location.href });
  const { fragment = '' } = withoutFragment(href);
  return next === undefined || fragment === '' ? next : `${withoutFragment(next).path}#${fragment}`;
}
