import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isObject } from '../../../../data/json.ts';
import { Badge, type Tone } from '../../../../design/badge.tsx';
import { BreakableId } from '../../../../design/breakable-id.tsx';
import { count, duration, money, scorePercent, words } from '../../../../design/format.ts';
import { modelStyle } from '../../../../design/series-style.ts';
import { Swatch } from '../../../../design/texture.tsx';
import type { DatasetRunResultPartsFragment } from '../../../../generated/graphql.ts';
import { ResponseMetrics } from '../../../playground/response-metrics.tsx';
import { scorerTitle } from '../scorers.ts';
import { JudgementView } from './judgement-view.tsx';
import { MarkedText } from './marked-text.tsx';

export type Output = DatasetRunResultPartsFragment['outputs'][number];

/** What one model answered to an item, with its scores. */
export function OutputView({
  output,
  expected,
  isOpen,
  outputs,
}: {
  readonly output: Output;
  /** Marks what differs from this text; null for no marks. */
  readonly expected: string | null;
  readonly isOpen: boolean;
  /** Number of outputs of the item. */
  readonly outputs: number;
}): ReactNode {
  const { model, status, scores, judgement, costUsd, durationMs, inputTokens, outputTokens, usageLogId } = output;
  return (
    <section
      aria-label={model}
      className="flex min-w-0 flex-col gap-0.75 rounded-medium bg-panel p-1.5 max-md:w-[80vw] max-md:shrink-0 max-md:snap-start"
    >
      <header className="flex items-start gap-0.75">
        <span className="mt-0.5 flex shrink-0">
          <Swatch style={modelStyle(model)} />
        </span>
        <h4 className="min-w-0 flex-1 font-mono font-normal wrap-anywhere">
          <BreakableId id={model} />
        </h4>
        {status === 'COMPLETED' ? null : <Badge tone={tones[status]}>{words(status)}</Badge>}
      </header>
      <Text output={output} expected={expected} isOpen={isOpen} outputs={outputs} />
      {scores.length === 0 ? null : (
        <ul aria-label={`Scores of ${model}`} className="figures mt-auto flex flex-wrap gap-0.5">
          {scores.map(({ scorer, value }) => (
            <li key={scorer}>
              <Badge tone={value >= 1 ? 'good' : value <= 0 ? 'bad' : 'warn'} wraps>
                {scorerTitle(scorer)} {scorePercent(value)}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {judgement == null ? null : <JudgementView judgement={judgement} isOpen={isOpen} />}
      <div className={`flex flex-wrap items-end gap-x-2 gap-y-0.5 ${scores.length === 0 ? 'mt-auto' : ''}`}>
        <ResponseMetrics
          metrics={[
            ['Time', durationMs == null ? null : duration(durationMs)],
            ['Cost', costUsd == null ? null : money(costUsd)],
            [
              'Tokens',
              inputTokens == null || outputTokens == null
                ? null
                : `${count(inputTokens)} in, ${count(outputTokens)} out`,
            ],
          ]}
        />
        {usageLogId == null ? null : (
          <Link
            to="/billing/usage"
            search={{ log: usageLogId }}
            className="text-small text-accent underline underline-offset-2"
          >
            Usage log
          </Link>
        )}
      </div>
    </section>
  );
}

const tones: Readonly<Record<Output['status'], Tone>> = {
  PENDING: 'neutral',
  COMPLETED: 'good',
  FAILED: 'bad',
  CANCELLED: 'neutral',
};

function Text({
  output: { status, isReadable, text, toolCalls, errorCode, errorMessage },
  expected,
  isOpen,
  outputs,
}: {
  readonly output: Output;
  readonly expected: string | null;
  readonly isOpen: boolean;
  readonly outputs: number;
}): ReactNode {
  if (status === 'FAILED')
    return (
      <div className="wrap-anywhere">
        {errorCode == null ? null : <code className="text-bad">{errorCode}</code>}
        <p className={isOpen ? '' : 'line-clamp-6'}>{errorMessage ?? 'The request failed.'}</p>
      </div>
    );
  if (status !== 'COMPLETED') return null;
  if (!isReadable)
    return <p className="text-soft">Unreadable: the secret of the server has changed since this output was stored.</p>;
  const calls = callTexts(toolCalls);
  const isEmpty = (text == null || text === '') && calls.length === 0;
  return (
    <div className={`wrap-anywhere whitespace-pre-wrap ${isOpen ? '' : 'line-clamp-6'}`}>
      {isEmpty ? <span className="text-soft">No output</span> : null}
      {text == null || text === '' ? null : expected === null ? (
        text
      ) : (
        <MarkedText text={text} expected={expected} isOpen={isOpen} outputs={outputs} />
      )}
      {calls.map((call, at) => (
        // Calls have no ID here.
        // oxlint-disable-next-line react/no-array-index-key
        <p key={at} className="font-mono text-small">
          {call}
        </p>
      ))}
    </div>
  );
}

/** Tool calls in the format of `POST /v1/chat/completions`, as `name(arguments)`. */
function callTexts(toolCalls: unknown): readonly string[] {
  if (!Array.isArray(toolCalls)) return [];
  return toolCalls.flatMap((call: unknown) => {
    const made = isObject(call) && isObject(call.function) ? call.function : call;
    if (!isObject(made) || typeof made.name !== 'string') return [];
    return [`${made.name}(${typeof made.arguments === 'string' ? made.arguments : ''})`];
  });
}
