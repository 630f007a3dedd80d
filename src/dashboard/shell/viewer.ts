import { createContext, use } from 'react';
import type { ViewerQuery } from '../generated/graphql.ts';

export type Viewer = ViewerQuery['viewer'];

export const ViewerContext = createContext<ViewerQuery | null>(null);

/** The signed-in user and the selected account. */
export function useViewer(): Viewer {
  return useViewerQuery().viewer;
}

/** Includes the server's permission table. */
export function useViewerQuery(): ViewerQuery {
  const query = use(ViewerContext);
  if (query === null) throw new Error('useViewer requires a signed-in Shell.');
  return query;
}
