import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Section } from '../../design/page.tsx';
import { Failed } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { ProviderFailuresDocument, type ProviderFailuresQuery } from '../../generated/graphql.ts';

const DAY_MS = 86_400_000;

/** The latest failed requests to a provider, with its error messages. */
export function FailingRequests({ provider }: { readonly provider: string }): ReactNode {
  const [from] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  const { data, failure, refetch } = useQuery(ProviderFailuresDocument, { provider, from });
  if (failure) return <Failed failure={failure} onRetry={refetch} />;
  const rows = data?.usageLogs.nodes ?? [];
  if (rows.length === 0) return null;
  return (
    <Section
      title="Failing requests"
      beside={
        <Link
          to="/billing/usage"
          search={{ provider, status: 'FAILED', range: '24h' }}
          className="text-accent underline underline-offset-2"
        >
          Show all
        </Link>
      }
    >
      <ul className="flex flex-col">
        {rows.map((row) => (
          <li key={row.id} className="flex flex-col border-t border-line py-1">
            <Link
              to="/billing/usage"
              search={{ provider, status: 'FAILED', range: '24h', log: row.id }}
              className="flex flex-wrap gap-x-1 text-accent underline underline-offset-2"
            >
              <Time at={row.createdAt} />
              <span className="wrap-anywhere">{row.model}</span>
            </Link>
            <span className="break-words text-small">{reasonOf(row, provider)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Row = ProviderFailuresQuery['usageLogs']['nodes'][number];

function reasonOf({ attempts, errorCode }: Row, provider: string): string {
  const attempt = attempts.findLast((each) => each.provider === provider && each.error != null);
  if (!attempt) return errorCode ?? '';
  const status = attempt.status == null ? 'No response' : `HTTP ${attempt.status}`;
  return `${status}: ${attempt.errorMessage ?? attempt.error}`;
}
