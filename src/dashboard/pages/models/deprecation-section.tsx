import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { useRange } from '../../data/range.ts';
import { count } from '../../design/format.ts';
import { Section } from '../../design/page.tsx';
import { Failed } from '../../design/state.tsx';
import {
  DeprecatedModelsDocument,
  KeysOfModelDocument,
  ModelDeprecationDocument,
  ModelsOfKeyDocument,
  type DeprecationPartsFragment,
} from '../../generated/graphql.ts';
import { useViewer } from '../../shell/viewer.ts';
import { DeprecationNotice } from './deprecation.tsx';

/** The deprecation of a model, and the keys whose requests it concerns. */
export function DeprecationSection({
  model,
  deprecation,
}: {
  readonly model: string;
  readonly deprecation: DeprecationPartsFragment;
}): ReactNode {
  const { currentAccount } = useViewer();
  const { from, to } = useRange('30d', currentAccount);
  const { data, failure, refetch } = useQuery(KeysOfModelDocument, { model, range: { from, to } });
  const groups = (data?.usage.groups ?? []).filter(({ usage }) => usage.requests > 0);
  return (
    <Section title="Deprecation">
      <DeprecationNotice model={model} deprecation={deprecation} />
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {data ? (
        <>
          <h3>Keys that used it in the last 30 days</h3>
          {groups.length === 0 ? (
            <p className="text-soft">None.</p>
          ) : (
            <ul aria-label="Keys that used it in the last 30 days" className="figures flex flex-col gap-0.5">
              {groups.map(({ apiKey, usage }) => (
                <li key={apiKey?.id ?? 'dashboard'} className="flex justify-between gap-2">
                  {apiKey ? (
                    <Link
                      to="/keys"
                      search={{ key: apiKey.id }}
                      className="min-w-0 text-accent wrap-anywhere underline underline-offset-2"
                    >
                      {apiKey.name}
                    </Link>
                  ) : (
                    'Dashboard'
                  )}
                  <span className="shrink-0 text-soft">
                    {count(usage.requests)} {usage.requests === 1 ? 'request' : 'requests'}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      ) : null}
    </Section>
  );
}

/** A notice if the model is deprecated. */
export function ModelDeprecation({ model }: { readonly model: string }): ReactNode {
  const { data } = useQuery(ModelDeprecationDocument, { id: model });
  const found = data?.model?.id === model ? data.model.deprecation : null;
  return found ? <DeprecationNotice model={model} deprecation={found} /> : null;
}

/** A notice for each deprecated model that a key used in the last 30 days. */
export function DeprecatedModelsOfKey({ apiKeyId }: { readonly apiKeyId: string }): ReactNode {
  const { currentAccount } = useViewer();
  const { from, to } = useRange('30d', currentAccount);
  const usage = useQuery(ModelsOfKeyDocument, { apiKeyId, range: { from, to } });
  const ids = (usage.data?.usage.groups ?? []).flatMap(({ model }) => (model == null ? [] : [model])).toSorted();
  const { data } = useQuery(DeprecatedModelsDocument, { ids }, { pause: ids.length === 0 });
  const found = (data?.nodes ?? []).flatMap((node) =>
    node?.__typename === 'Model' && node.deprecation && ids.includes(node.id)
      ? [{ id: node.id, deprecation: node.deprecation }]
      : [],
  );
  if (found.length === 0) return null;
  return (
    <section aria-label="Deprecated models" className="flex flex-col gap-1">
      <p>This key used deprecated models in the last 30 days:</p>
      {found.map(({ id, deprecation }) => (
        <DeprecationNotice key={id} model={id} deprecation={deprecation} />
      ))}
    </section>
  );
}
