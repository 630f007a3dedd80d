import { createContext, use } from 'react';
import type { ViewerQuery } from '../generated/graphql.ts';

export type Viewer = ViewerQuery['viewer'];

export const ViewerContext = createContext<Viewer | null>(null);

/** Who is signed in, within the account that they look at. */
export function useViewer(): Viewer {
  const viewer = use(ViewerContext);
  if (viewer === null) throw new Error('Pages stand within a signed-in shell.');
  return viewer;
}
