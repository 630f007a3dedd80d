import { useRouter, useRouterState } from '@tanstack/react-router';

/** What a page shows besides its view: an opened row. */
const notOfView = ['log'] as const;

/** The query of the page's URL as a saved view stores it, and how the page shows that of another view. */
export function useViewSearch(): { readonly search: string; readonly show: (search: string) => void } {
  const router = useRouter();
  const { pathname, searchStr } = useRouterState({ select: ({ location }) => location });
  return { search: viewSearch(searchStr), show: (search) => router.history.push(`${pathname}${search}`) };
}

function viewSearch(searchStr: string): string {
  const params = new URLSearchParams(searchStr);
  for (const name of notOfView) params.delete(name);
  return params.size === 0 ? '' : `?${params.toString()}`;
}
