import type { ReactNode } from 'react';
import { useRead } from '../../data/hooks.ts';
import { CodeSamples } from '../../design/code.tsx';
import { chatSamples } from '../../design/samples.ts';
import { Skeleton } from '../../design/state.tsx';
import { ComparedModelDocument, ModelListDocument, type KeyFragment } from '../../generated/graphql.ts';
import { capabilities } from '../playground/capabilities.ts';
import { newDraft } from '../playground/draft.ts';
import { requestOf } from '../playground/request.ts';
import { samplesOf } from '../playground/samples.ts';

/** Costs nothing, and answers without a provider. */
const FREE_MODEL = 'sandbox/chat';

/** A first request with a new key, to a model that the key may use. */
export function KeySamples({
  apiKey: { allowedModels, scopes },
  secret,
}: {
  readonly apiKey: Pick<KeyFragment, 'allowedModels' | 'scopes'>;
  readonly secret: string;
}): ReactNode {
  const wanted = allowedModels?.[0] ?? FREE_MODEL;
  const callsModels = scopes.includes('INFERENCE');
  const { data, fetching } = useRead(ComparedModelDocument, { id: wanted }, { pause: !callsModels });
  const isMissing = data !== null && !fetching && data.model == null;
  const others = useRead(
    ModelListDocument,
    { filter: { capability: 'chat' }, orderBy: 'ID', first: 1 },
    { pause: !isMissing || allowedModels !== null },
  );
  if (!callsModels) return <p className="text-soft">Without the scope Inference, this key cannot call models.</p>;
  const found = data?.model ?? others.data?.models.nodes[0];
  if (found === undefined && (fetching || others.fetching || data === null)) return <Skeleton className="h-24" />;
  // A route that the key is limited to may have no model behind it yet: its name is what a request needs.
  const model = allowedModels === null ? (found?.id ?? FREE_MODEL) : wanted;
  const capability = capabilities.find((each) => found?.capabilities.includes(each)) ?? 'chat';
  const { origin } = location;
  const samples =
    capability === 'chat'
      ? chatSamples({ origin, key: secret, model })
      : samplesOf({ capability, body: requestOf(capability, model, newDraft(capability)) }, origin, secret);
  return <CodeSamples samples={samples} />;
}
