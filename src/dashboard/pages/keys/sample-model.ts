import { useRead } from '../../data/hooks.ts';
import { ComparedModelDocument, ModelListDocument } from '../../generated/graphql.ts';

/** Costs nothing, and answers without a provider. */
const FREE_MODEL = 'sandbox/chat';

/**
 * The model of a first request: the first one of `allowedModels`, or where that is null, the sandbox's, or the first chat model
 * where the sandbox is off. Null until it is known.
 */
export function useSampleModel(
  allowedModels: readonly string[] | null,
  pause = false,
): { readonly id: string; readonly capabilities: readonly string[] } | null {
  const wanted = allowedModels?.[0] ?? FREE_MODEL;
  const { data, fetching } = useRead(ComparedModelDocument, { id: wanted }, { pause });
  const isMissing = data !== null && !fetching && data.model == null;
  const others = useRead(
    ModelListDocument,
    { filter: { capability: 'chat' }, orderBy: 'ID', first: 1 },
    { pause: !isMissing || allowedModels !== null },
  );
  const found = data?.model ?? others.data?.models.nodes[0];
  if (found === undefined && (fetching || others.fetching || data === null)) return null;
  // A route that the key is limited to may have no model behind it yet: its name is what a request needs.
  const id = allowedModels === null ? (found?.id ?? FREE_MODEL) : wanted;
  return { id, capabilities: found?.capabilities ?? [] };
}
