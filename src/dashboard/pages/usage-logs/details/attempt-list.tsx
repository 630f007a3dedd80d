import type { ReactNode } from 'react';
import { Badge } from '../../../design/badge.tsx';
import { duration } from '../../../design/format.ts';
import { Facts } from '../../../design/page.tsx';
import type { LogDetails } from './log-details.ts';
import { ProviderRequestId } from './provider-request-id.tsx';

type Attempt = LogDetails['attempts'][number];

/** The attempts at providers, with their status and the provider's error message. */
export function AttemptList({ attempts }: { readonly attempts: readonly Attempt[] }): ReactNode {
  return (
    <section aria-label="Attempts" className="flex flex-col gap-1">
      <h3 className="text-large">Attempts</h3>
      <ol className="flex flex-col gap-2">
        {attempts.map((attempt, index) => (
          <li key={index} className="flex flex-col gap-1">
            <div className="flex flex-wrap items-center gap-1">
              <Badge tone={attempt.error == null ? 'good' : 'bad'}>{statusText(attempt)}</Badge>
              <span className="min-w-0 break-words">
                {attempt.provider}: {attempt.model}
              </span>
              <span className="figures ml-auto text-small text-soft">{duration(attempt.durationMs)}</span>
            </div>
            <Failure attempt={attempt} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function statusText({ status, error }: Attempt): string {
  if (status != null) return `HTTP ${status}`;
  return error == null ? 'No HTTP status' : 'No response';
}

function Failure({ attempt }: { readonly attempt: Attempt }): ReactNode {
  const { error, errorType, errorCode, errorMessage, requestId, rateLimits } = attempt;
  if (error == null) return null;
  const facts: (readonly [string, ReactNode])[] = [['Error', <code key="error">{error}</code>]];
  if (errorType) facts.push(['Provider type', <code key="type">{errorType}</code>]);
  if (errorCode) facts.push(['Provider code', <code key="code">{errorCode}</code>]);
  if (errorMessage)
    facts.push([
      'Message',
      <span key="message" className="break-words">
        {errorMessage}
      </span>,
    ]);
  if (requestId) facts.push(['Provider request ID', <ProviderRequestId key="id" id={requestId} />]);
  if (rateLimits.length > 0)
    facts.push([
      'Rate limits',
      <ul key="limits" className="text-small">
        {rateLimits.map(({ name, value }) => (
          <li key={name} className="wrap-anywhere">
            <code>{name}</code>: {value}
          </li>
        ))}
      </ul>,
    ]);
  return <Facts facts={facts} />;
}
