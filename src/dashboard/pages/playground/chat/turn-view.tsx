import { useState, type ReactNode } from 'react';
import { Badge } from '../../../design/badge.tsx';
import { Button } from '../../../design/button.tsx';
import { CopyButton } from '../../../design/copy.tsx';
import { count, duration } from '../../../design/format.ts';
import { Markdown } from '../../../design/markdown.tsx';
import { Failed } from '../../../design/state.tsx';
import { Textarea } from '../../../design/textarea.tsx';
import type { Turn } from './conversation.ts';
import { costText, ResponseMetrics } from '../response-metrics.tsx';
import type { Completion } from './completion.ts';

/** A message with its response. @param onResults sends the results of tool calls; null when that is not possible */
export function TurnView({
  turn,
  onResults,
}: {
  readonly turn: Turn;
  readonly onResults: ((results: Readonly<Record<string, string>>) => void) | null;
}): ReactNode {
  const { text, images, completion } = turn;
  return (
    <article className="flex flex-col gap-1.5">
      {text !== '' || images.length > 0 ? (
        <div className="max-w-[85%] self-end rounded-large bg-accent-wash px-2 py-1.5">
          {images.map((url, place) => (
            <img key={url} src={url} alt={`Sent image ${place + 1}`} className="mb-1 max-h-24 rounded-medium" />
          ))}
          <p className="whitespace-pre-wrap">{text}</p>
        </div>
      ) : null}
      <div className="flex min-w-0 flex-col gap-1">
        {completion.reasoning ? (
          <details className="text-soft">
            <summary>Reasoning</summary>
            <p className="mt-0.5 border-l-2 border-line pl-1.5 whitespace-pre-wrap">{completion.reasoning}</p>
          </details>
        ) : null}
        <div aria-label="Response" role="group" className="min-h-2.5">
          <Markdown text={completion.text} />
          {completion.state === 'running' ? (
            <span aria-hidden className="ml-0.25 inline-block h-2 w-1 animate-breathe bg-accent align-middle" />
          ) : null}
        </div>
        {completion.toolCalls.length > 0 ? <ToolCalls turn={turn} onResults={onResults} /> : null}
        {completion.hasGap ? (
          <p className="text-warn">The connection was too slow. Part of the response is missing here.</p>
        ) : null}
        {completion.failure ? <Failed failure={completion.failure} /> : null}
        <CompletionMetrics completion={completion} />
      </div>
    </article>
  );
}

function CompletionMetrics({ completion }: { readonly completion: Completion }): ReactNode {
  const { firstTokenMs, durationMs, inputTokens, outputTokens, finishReason, state } = completion;
  return (
    <div className="flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <ResponseMetrics
          metrics={[
            ['First token', firstTokenMs === null ? null : duration(firstTokenMs)],
            ['Time', durationMs === null ? null : duration(durationMs)],
            ['Input', inputTokens === null ? null : `${count(inputTokens)} tokens`],
            ['Output', outputTokens === null ? null : `${count(outputTokens)} tokens`],
            ['Speed', speedOf(completion)],
            ['Cost', costText(completion.cost)],
            ['Finish reason', state === 'stopped' ? 'stopped by you' : finishReason],
          ]}
        />
      </div>
      {completion.text !== '' && state !== 'running' ? (
        <CopyButton text={completion.text} label="Copy the response" />
      ) : null}
    </div>
  );
}

/** As the server measures `OutputSpeed`: shorter output arrives at once, which is no speed. */
const MIN_OUTPUT_MS = 100;

function speedOf({ outputTokens, durationMs, firstTokenMs }: Completion): string | null {
  if (outputTokens === null || durationMs === null || firstTokenMs === null) return null;
  const ms = durationMs - firstTokenMs;
  return ms < MIN_OUTPUT_MS || outputTokens <= 1 ? null : `${count((outputTokens / ms) * 1000)} tokens/s`;
}

function ToolCalls({
  turn: { completion, results, enteredResults = {} },
  onResults,
}: {
  readonly turn: Turn;
  readonly onResults: ((results: Readonly<Record<string, string>>) => void) | null;
}): ReactNode {
  const [given, setGiven] = useState<Readonly<Record<string, string>>>(enteredResults);
  const canSubmitResults = onResults !== null && completion.state === 'finished';
  return (
    <form
      className="flex flex-col gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        onResults?.(Object.fromEntries(completion.toolCalls.map(({ id }) => [id, given[id] ?? ''])));
      }}
    >
      {completion.toolCalls.map(({ index, id, name, arguments: args }) => (
        <div key={index} className="flex flex-col gap-1 rounded-medium bg-panel p-1.5">
          <div className="flex items-center gap-1">
            <Badge tone="accent">Tool</Badge>
            <code className="font-mono">{name}</code>
          </div>
          <code className="font-mono text-small break-all whitespace-pre-wrap">{args}</code>
          {results[id] !== undefined ? (
            <p className="whitespace-pre-wrap text-soft">Result: {results[id]}</p>
          ) : canSubmitResults ? (
            <Textarea
              label={`Result of ${name}`}
              rows={1}
              value={given[id] ?? ''}
              onChange={({ target }) => setGiven({ ...given, [id]: target.value })}
            />
          ) : null}
        </div>
      ))}
      {canSubmitResults && completion.toolCalls.some(({ id }) => results[id] === undefined) ? (
        <div>
          <Button type="submit">Submit results</Button>
        </div>
      ) : null}
    </form>
  );
}
