import type { ReactNode } from 'react';
import { CodeSamples } from '../../design/code.tsx';
import { chatSamples } from '../../design/samples.ts';
import { Skeleton } from '../../design/state.tsx';
import type { KeyFragment } from '../../generated/graphql.ts';
import { capabilities } from '../playground/capabilities.ts';
import { newDraft } from '../playground/draft.ts';
import { requestOf } from '../playground/request.ts';
import { samplesOf } from '../playground/samples.ts';
import { useSampleModel } from './sample-model.ts';

/** A first request with a new key, to a model that the key may use. */
export function KeySamples({
  apiKey: { allowedModels, scopes },
  secret,
}: {
  readonly apiKey: Pick<KeyFragment, 'allowedModels' | 'scopes'>;
  readonly secret: string;
}): ReactNode {
  const callsModels = scopes.includes('INFERENCE');
  const found = useSampleModel(allowedModels, !callsModels);
  if (!callsModels) return <p className="text-soft">Without the scope Inference, this key cannot call models.</p>;
  if (found === null) return <Skeleton className="h-24" />;
  const model = found.id;
  const capability = capabilities.find((each) => found.capabilities.includes(each)) ?? 'chat';
  const { origin } = location;
  const samples =
    capability === 'chat'
      ? chatSamples({ origin, key: secret, model })
      : samplesOf({ capability, body: requestOf(capability, model, newDraft(capability)) }, origin, secret);
  return <CodeSamples samples={samples} />;
}
