import { useRouterState } from '@tanstack/react-router';
import { withoutFragment } from '../../data/graphql/fragment.ts';

export const INVITATION_PATH = '/invitation';

/**
 * A parameter of the URL's fragment, such as the token of a link in a mail. Browsers do not send the fragment, so no log contains it.
 * The query is read too: a link may carry the token there.
 */
export function useFragment(name: string): string | null {
  const { hash, href } = useRouterState({ select: ({ location }) => location });
  const query = href.includes('?') ? href.slice(href.indexOf('?')).split('#', 1)[0] : '';
  return new URLSearchParams(hash).get(name) ?? new URLSearchParams(query).get(name);
}

/**
 * The path to open after signing in, with the fragment of the current URL, such as an invitation's token.
 * @param next the path without its fragment
 */
export function useReturnPath(next: string | undefined): string | undefined {
  const href = useRouterState({ select: ({ location }) => location.href });
  const { fragment = '' } = withoutFragment(href);
  return next === undefined || fragment === '' ? next : `${withoutFragment(next).path}#${fragment}`;
}
