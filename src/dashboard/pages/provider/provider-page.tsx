import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plug } from 'lucide-react';
import type { ReactNode } from 'react';
import { useQuery, useRetainedData } from '../../data/graphql/hooks.ts';
import { useRange } from '../../data/range.ts';
import { count, duration, speed } from '../../design/format.ts';
import { ListTable, type ListColumn } from '../../design/list-table.tsx';
import { Page, Section } from '../../design/page.tsx';
import { QueryContent } from '../../design/state.tsx';
import {
  ProviderPerformanceDocument,
  ProviderPoliciesDocument,
  type ProviderPerformanceQuery,
} from '../../generated/graphql.ts';
import { RequirePermission } from '../../shell/notices/not-allowed.tsx';
import { usePermissions } from '../../shell/permissions.ts';
import { useViewer } from '../../shell/viewer.ts';
import { PolicyFacts } from '../models/data-policy.tsx';
import { modelParams } from '../models/search.ts';
import { PerformanceRange, PerformanceView, share } from '../performance/performance-view.tsx';
import { FailingRequests } from '../providers/failing-requests.tsx';

export function ProviderPage(): ReactNode {
  return (
    <RequirePermission action="usage.read" title="Provider" icon={<Plug size={24} />}>
      <Provider />
    </RequirePermission>
  );
}

function Provider(): ReactNode {
  const { provider } = useParams({ from: '/shell/providers/$provider' });
  const search = useSearch({ from: '/shell/providers/$provider' });
  const navigate = useNavigate({ from: '/providers/$provider' });
  const { currentAccount } = useViewer();
  const { from, to } = useRange(search.range ?? '7d', currentAccount);
  const result = useQuery(ProviderPerformanceDocument, { provider, range: { from, to } });
  const change = (next: typeof search): void => void navigate({ search: () => next, replace: true });
  return (
    <Page
      title={provider}
      lead={
        <span className="flex flex-wrap gap-x-2">
          <Link to="/providers" search={{ provider }} className="text-accent underline underline-offset-2">
            Connection
          </Link>
          <Link to="/models" search={{ provider }} className="text-accent underline underline-offset-2">
            Models
          </Link>
        </span>
      }
      actions={<PerformanceRange search={search} onChange={change} />}
    >
      <QueryContent query={useRetainedData(result, provider)} className="h-64">
        {({ providerPerformance: report }) => (
          <>
            <Section title="Performance">
              <PerformanceView report={report} search={search} onChange={change} />
            </Section>
            <Section title="Models">
              {report.models.length === 0 ? (
                <p className="text-soft">No requests of this account in this range.</p>
              ) : (
                <Models models={report.models} />
              )}
            </Section>
          </>
        )}
      </QueryContent>
      <ProviderPolicy provider={provider} />
      <FailingRequests provider={provider} />
    </Page>
  );
}

/** Of the connection that the account's requests use. */
function ProviderPolicy({ provider }: { readonly provider: string }): ReactNode {
  const { can } = usePermissions();
  const { data } = useQuery(ProviderPoliciesDocument, {}, { pause: !can('connections.read') });
  const state = data?.providerStates.find((each) => each.provider === provider);
  if (!state) return null;
  return (
    <Section title="Region and data policy">
      <PolicyFacts region={state.region} policy={state.dataPolicy} />
    </Section>
  );
}

type Row = ProviderPerformanceQuery['providerPerformance']['models'][number];

function Models({ models }: { readonly models: readonly Row[] }): ReactNode {
  const navigate = useNavigate();
  return (
    <ListTable
      label="Models of the provider"
      rows={models}
      columns={columns}
      keyOf={({ model }) => model}
      nameOf={({ model }) => model}
      under={({ figures }) => `${count(figures.attempts)} ${figures.attempts === 1 ? 'attempt' : 'attempts'}`}
      onOpen={({ model }) => void navigate({ to: '/models/$provider/$', params: modelParams(model) })}
    />
  );
}

const columns: readonly ListColumn<Row>[] = [
  {
    name: 'latency',
    title: 'Median time',
    align: 'right',
    from: 'md',
    cell: ({ figures: { latency } }) => (latency ? duration(latency.p50) : '–'),
  },
  {
    name: 'first',
    title: 'First token',
    align: 'right',
    from: 'lg',
    cell: ({ figures: { firstToken } }) => (firstToken ? duration(firstToken.p50) : '–'),
  },
  {
    name: 'speed',
    title: 'Tokens/s',
    align: 'right',
    from: 'lg',
    cell: ({ figures: { tokensPerSecond } }) => (tokensPerSecond == null ? '–' : speed(tokensPerSecond)),
  },
  { name: 'errors', title: 'Error rate', align: 'right', from: 'md', cell: ({ figures }) => share(figures.errorRate) },
  { name: 'uptime', title: 'Uptime', align: 'right', cell: ({ figures }) => share(figures.uptime) },
];
