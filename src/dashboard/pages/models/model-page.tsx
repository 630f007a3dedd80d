import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Columns3, Terminal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { usePriceUnit } from '../../data/price-unit.ts';
import { useRange } from '../../data/range.ts';
import { Badge, BetaBadge, SandboxBadge } from '../../design/badge.tsx';
import { buttonClass } from '../../design/button.tsx';
import { CodeSamples, CopyLine } from '../../design/code.tsx';
import type { Sample } from '../../design/sample.ts';
import { calendarDate, count, duration, money, percent, words } from '../../design/format.ts';
import { Facts, Page, Section } from '../../design/page.tsx';
import { PriceUnitSelect } from '../../design/price-unit-select.tsx';
import { chatSamples } from '../../design/samples.ts';
import { Failed, SkeletonRows } from '../../design/state.tsx';
import { ModelPageDocument, type ModelPageQuery } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { useViewer } from '../../shell/viewer.ts';
import { capabilityOf, kinds, kindTitles } from '../comparator/search.ts';
import { capabilities, capabilityTitles, type Capability } from '../playground/capabilities.ts';
import { newDraft } from '../playground/draft.ts';
import { requestOf } from '../playground/request.ts';
import { samplesOf } from '../playground/samples.ts';
import { PolicyFacts } from './data-policy.tsx';
import { DeprecationSection } from './deprecation-section.tsx';
import { ModelPerformance } from '../performance/model-performance.tsx';
import type { PerformanceSearch } from '../performance/search.ts';
import { allPrices } from './prices.ts';
import { modelIdOf } from './search.ts';
import { TryModel } from './try-model.tsx';

type ModelDetails = NonNullable<ModelPageQuery['model']>;

export function ModelPage(): ReactNode {
  const id = modelIdOf(useParams({ from: '/shell/models/$provider/$' }));
  const search = useSearch({ from: '/shell/models/$provider/$' });
  const navigate = useNavigate({ from: '/models/$provider/$' });
  const { currentAccount } = useViewer();
  const { from, to } = useRange('30d', currentAccount);
  const { data, failure, fetching, refetch } = useQuery(ModelPageDocument, { id, model: id, range: { from, to } });
  const model = data?.model?.id === id ? data.model : null;
  return (
    <Page
      title={model?.name ?? id}
      lead={
        <Link to="/models" className="text-accent underline underline-offset-2">
          All models
        </Link>
      }
      actions={
        <>
          <BetaBadge capabilities={model?.capabilities ?? []} />
          <SandboxBadge model={id} />
        </>
      }
    >
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {!model && fetching && !failure ? <SkeletonRows rows={10} /> : null}
      {data && !model && !fetching ? <p>No model named “{id}” is available.</p> : null}
      {model && data ? (
        <Details
          key={id}
          model={model}
          total={data.usage.total}
          search={search}
          onSearch={(next) => void navigate({ search: () => next, replace: true })}
        />
      ) : null}
    </Page>
  );
}

function Details({
  model,
  total,
  search,
  onSearch,
}: {
  readonly model: ModelDetails;
  readonly total: ModelPageQuery['usage']['total'];
  readonly search: PerformanceSearch;
  readonly onSearch: (next: PerformanceSearch) => void;
}): ReactNode {
  const { can } = usePermissions();
  const unit = usePriceUnit();
  const prices = allPrices(model.pricing, unit);
  const playgroundCapabilities = capabilities.filter((each) => model.capabilities.includes(each));
  const [first] = playgroundCapabilities;
  const isChat = first === 'chat';
  return (
    <div className="grid gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-5">
        {model.deprecation ? <DeprecationSection model={model.id} deprecation={model.deprecation} /> : null}
        <div className="max-w-60">
          <CopyLine text={model.id} label="Copy the model’s name" />
        </div>
        {first === undefined || !can('completions.run') ? null : (
          <Section title="Try this model">
            {isChat ? <TryModel model={model.id} /> : null}
            <ul className="flex flex-wrap gap-1">
              {playgroundCapabilities.map((capability) => (
                <li key={capability}>
                  <Link to="/playground" search={{ capability, model: model.id }} className={buttonClass()}>
                    <Terminal size={16} aria-hidden /> Try: {capabilityTitles[capability]}
                  </Link>
                </li>
              ))}
              {kinds
                .filter((kind) => model.capabilities.includes(capabilityOf[kind]))
                .map((kind) => (
                  <li key={kind}>
                    <Link to="/compare" search={{ kind, models: [model.id] }} className={buttonClass()}>
                      <Columns3 size={16} aria-hidden /> Compare: {kindTitles[kind]}
                    </Link>
                  </li>
                ))}
            </ul>
          </Section>
        )}
        <ModelPerformance model={model.id} search={search} onChange={onSearch} />
        <Section title="Use in code">
          {first === undefined ? (
            <p className="text-soft">
              This model supports {model.capabilities.map((each) => words(each).toLowerCase()).join(', ')}. The{' '}
              <a href="/docs" className="text-accent underline underline-offset-2">
                API reference
              </a>{' '}
              shows how to call it.
            </p>
          ) : (
            <CodeSamples samples={samplesFor(first, model.id)} />
          )}
        </Section>
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        <Section title="Details">
          <Facts
            facts={[
              [
                'Provider',
                <Link
                  key="provider"
                  to="/providers/$provider"
                  params={{ provider: model.provider }}
                  className="text-accent underline underline-offset-2"
                >
                  {model.provider}
                </Link>,
              ],
              ['Context', model.contextWindow == null ? '–' : `${count(model.contextWindow)} tokens`],
              ['Max output', model.maxOutputTokens == null ? '–' : `${count(model.maxOutputTokens)} tokens`],
              ['Input modalities', model.inputModalities.map(words).join(', ')],
              ['Output modalities', model.outputModalities.map(words).join(', ')],
              ['Released', model.releasedAt == null ? '–' : calendarDate(model.releasedAt)],
              [
                'Capabilities',
                <span key="can" className="flex flex-wrap gap-0.5">
                  {model.capabilities.map((each) => (
                    <Badge key={each}>{words(each)}</Badge>
                  ))}
                </span>,
              ],
            ]}
          />
        </Section>
        <Section title="Region and data policy">
          <PolicyFacts region={model.region} policy={model.dataPolicy} />
        </Section>
        <Section title="Price" beside={prices.length > 0 ? <PriceUnitSelect hidesLabel /> : null}>
          {prices.length > 0 ? (
            <Facts facts={prices} />
          ) : (
            <p className="text-soft">
              {model.isUnpriced
                ? 'No price is known for this model: the cost of its requests is counted as $0.00.'
                : 'Free of charge.'}
            </p>
          )}
          {model.pricing ? <p className="text-small text-soft">Price version: {model.pricing.version}.</p> : null}
        </Section>
        <Section title="Your usage, last 30 days">
          {total.requests === 0 && Number(total.cost.amount) === 0 ? (
            <p className="text-soft">No requests in the last 30 days.</p>
          ) : (
            <Facts
              facts={[
                [
                  'Requests',
                  <Link
                    key="requests"
                    to="/billing/usage"
                    search={{ model: model.id, range: '30d' }}
                    className="text-accent underline underline-offset-2"
                  >
                    {count(total.requests)}
                  </Link>,
                ],
                ['Failed', percent(total.errors, total.requests)],
                ['Spent', money(total.cost.amount)],
                [
                  'Total time',
                  total.latency ? `${duration(total.latency.p50)}, p95 ${duration(total.latency.p95)}` : '–',
                ],
                [
                  'First token',
                  total.firstToken ? `${duration(total.firstToken.p50)}, p95 ${duration(total.firstToken.p95)}` : '–',
                ],
              ]}
            />
          )}
        </Section>
      </div>
    </div>
  );
}

function samplesFor(capability: Capability, model: string): readonly Sample[] {
  if (capability === 'chat') return chatSamples({ origin: location.origin, key: null, model });
  return samplesOf({ capability, body: requestOf(capability, model, newDraft(capability)) }, location.origin);
}
