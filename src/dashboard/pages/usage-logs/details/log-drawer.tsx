import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useQuery } from '../../../data/graphql/hooks.ts';
import { useRefetchWhile } from '../../../data/graphql/refetch-while.ts';
import { Badge, SandboxBadge } from '../../../design/badge.tsx';
import { CopyLine } from '../../../design/code.tsx';
import { count, duration, words } from '../../../design/format.ts';
import { Drawer } from '../../../design/overlay.tsx';
import { Facts } from '../../../design/page.tsx';
import { Failed, SkeletonRows } from '../../../design/state.tsx';
import { Time } from '../../../design/time.tsx';
import { UsageLogDetailsDocument } from '../../../generated/graphql.ts';
import { ModelDeprecation } from '../../models/deprecation-section.tsx';
import { ContentSection } from '../content/content-section.tsx';
import { AttemptList } from './attempt-list.tsx';
import { ProviderRequestId } from './provider-request-id.tsx';
import { CostExplained } from './cost-explained.tsx';
import { FeedbackSection } from './feedback-section.tsx';
import { costText, modelName, statusTones } from '../log-columns.tsx';
import type { LogDetails } from './log-details.ts';
import { RoutingFacts } from './routing-facts.tsx';
import { Timeline } from './timeline.tsx';
import { traceFacts } from './trace-facts.tsx';
import { Waterfall } from './waterfall.tsx';

/** The details of one request: attempts, timing and cost calculation. */
export function LogDrawer({ id, onClose }: { readonly id: string | null; readonly onClose: () => void }): ReactNode {
  const query = useQuery(UsageLogDetailsDocument, { id: id ?? '' }, { pause: id === null });
  const { data, failure, refetch, isCurrent } = query;
  const log = id !== null && data?.usageLog?.id === id ? data.usageLog : null;
  const isMissing = id !== null && isCurrent && data?.usageLog === null;
  useRefetchWhile(isMissing, query);
  return (
    <Drawer open={id !== null} onClose={onClose} title={log ? modelName(log) : 'Request'}>
      {failure ? <Failed failure={failure} onRetry={refetch} /> : null}
      {log ? (
        <>
          <Details log={log} />
          <div className="mt-4 flex flex-col gap-4">
            <ContentSection id={log.id} replayModel={log.protocol == null ? null : (log.requestedModel ?? log.model)} />
            <FeedbackSection log={log} />
          </div>
        </>
      ) : isMissing ? (
        <p className="text-soft">
          Request not found. If it is still running, it appears here when it finishes. It may also be older than the
          plan’s retention period.
        </p>
      ) : failure ? null : (
        <SkeletonRows rows={10} />
      )}
    </Drawer>
  );
}

const protocols: Readonly<Record<NonNullable<LogDetails['protocol']>, string>> = {
  CHAT_COMPLETIONS: 'Chat Completions (OpenAI)',
  COMPLETIONS: 'Completions (OpenAI)',
  RESPONSES: 'Responses (OpenAI)',
  MESSAGES: 'Messages (Anthropic)',
  GEMINI: 'Gemini (Google)',
};

function Details({ log }: { readonly log: LogDetails }): ReactNode {
  const facts: (readonly [string, ReactNode])[] = [
    ['Time', <Time key="time" at={log.createdAt} />],
    ['Key', <KeyLink key="key" log={log} />],
    ['Capability', `${words(log.capability)}${log.streamed ? ', streamed' : ''}`],
    ...(log.protocol ? [['Protocol', protocols[log.protocol]] as const] : []),
    ...(log.status === 'REJECTED' ? [] : tokenFacts(log)),
    ['HTTP status', log.httpStatus],
  ];
  if (log.requests > 1) facts.push(['Requests', `${count(log.requests)} similar requests within 8 minutes`]);
  if (log.requests === 0) facts.push(['Requests', '0 (cost of a video that an earlier request started)']);
  if (log.requestedModel && log.requestedModel !== log.model) facts.push(['Requested', log.requestedModel]);
  if (log.finishReason) facts.push(['Finish reason', words(log.finishReason)]);
  if (log.errorCode) facts.push(['Error', <code key="error">{log.errorCode}</code>]);
  if (log.endUser) facts.push(['End user', log.endUser]);
  const providerRequest = log.attempts.at(-1);
  if (providerRequest?.error == null && providerRequest?.requestId)
    facts.push(['Provider request ID', <ProviderRequestId key="provider" id={providerRequest.requestId} />]);
  facts.push(...traceFacts(log));
  if (log.tags.length > 0)
    facts.push([
      'Tags',
      <span key="tags" className="flex flex-wrap gap-0.5">
        {log.tags.map(({ name, value }) => (
          <Badge key={name} wraps>
            {name}={value}
          </Badge>
        ))}
      </span>,
    ]);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-1">
        <Badge tone={statusTones[log.status]}>{words(log.status)}</Badge>
        {log.estimated ? <Badge tone="warn">Usage estimated</Badge> : null}
        <SandboxBadge model={log.model} />
        <span className="figures ml-auto text-large font-strong">{costText(log)}</span>
      </div>
      {log.status === 'REJECTED' ? null : <ModelDeprecation model={log.model} />}
      <CopyLine text={log.requestId} label="Copy request ID" />
      <Facts facts={facts} />
      {log.routing ? <RoutingFacts routing={log.routing} /> : null}
      {log.attempts.some(({ error }) => error != null) ? <AttemptList attempts={log.attempts} /> : null}
      {log.status === 'REJECTED' ? (
        <p className="text-soft">The request was rejected before it was sent to a provider. Nothing is billed.</p>
      ) : (
        <TimingAndCost log={log} />
      )}
    </div>
  );
}

function TimingAndCost({ log }: { readonly log: LogDetails }): ReactNode {
  return (
    <>
      <section aria-label="Timing" className="flex flex-col gap-1">
        <h3 className="text-large">Timing</h3>
        <Waterfall log={log} />
      </section>
      <section aria-label="Timeline" className="flex flex-col gap-1">
        <h3 className="text-large">Timeline</h3>
        <Timeline log={log} />
      </section>
      <section aria-label="Cost" className="flex flex-col gap-1">
        <h3 className="text-large">Cost</h3>
        <CostExplained log={log} />
      </section>
      <p className="text-small text-soft">
        {log.firstTokenMs == null ? '' : `First token after ${duration(log.firstTokenMs)}. `}Total time{' '}
        {duration(log.durationMs)}.
      </p>
    </>
  );
}

function tokenFacts(log: LogDetails): (readonly [string, ReactNode])[] {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, units } = log;
  return [
    ['Input', `${count(inputTokens)} tokens${cachedTokens > 0 ? `, ${count(cachedTokens)} cached` : ''}`],
    ['Output', `${count(outputTokens)} tokens${reasoningTokens > 0 ? `, ${count(reasoningTokens)} reasoning` : ''}`],
    ...units.map(({ unit, quantity }) => [words(unit), quantity] as const),
  ];
}

function KeyLink({ log }: { readonly log: LogDetails }): ReactNode {
  return log.apiKey ? (
    <Link to="/keys" search={{ key: log.apiKey.id }} className="text-accent underline underline-offset-2">
      {log.apiKey.name}
    </Link>
  ) : (
    'Dashboard'
  );
}
