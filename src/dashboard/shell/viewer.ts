import { createContext, use } from 'react';
import type { ViewerQuery } from '../generated/graphql.ts';

export type Viewer = ViewerQuery['viewer'];

export const ViewerContext = createContext<ViewerQuery | null>(null);

/** Who is signed in, within the account that they look at. */
export function useViewer(): Viewer {
  return useViewerQuery().viewer;
}

/** With the server's table of who may do what. */
export function useViewerQuery(): ViewerQuery {
  const query = use(ViewerContext);
  if (query === null) throw new Error('Pages stand within a signed-in shell.');
  return query;
}
