import { useQuery } from '../../data/graphql/hooks.ts';
import { ComparedModelDocument, ModelListDocument } from '../../generated/graphql.ts';

/** Free, and available without a provider. */
const FREE_MODEL = 'sandbox/chat';

/**
 * The model of a sample request: the first of `allowedModels`; without that list the sandbox model, or the first chat model when the
 * sandbox is off. Null while loading.
 */
export function useSampleModel(
  allowedModels: readonly string[] | null,
  pause = false,
): { readonly id: string; readonly capabilities: readonly string[] } | null {
  const preferredModel = allowedModels?.[0] ?? FREE_MODEL;
  const { data, fetching } = useQuery(ComparedModelDocument, { id: preferredModel }, { pause });
  const isMissing = data !== null && !fetching && data.model == null;
  const others = useQuery(
    ModelListDocument,
    { filter: { capability: 'chat' }, orderBy: 'ID', first: 1 },
    { pause: !isMissing || allowedModels !== null },
  );
  const found = data?.model ?? others.data?.models.nodes[0];
  if (found === undefined && (fetching || others.fetching || data === null)) return null;
  // The key may be limited to a route without targets yet. The request still names the route.
  const id = allowedModels === null ? (found?.id ?? FREE_MODEL) : preferredModel;
  return { id, capabilities: found?.capabilities ?? [] };
}
