import { Square } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation, useSubscription } from '../../data/graphql/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Input } from '../../design/field.tsx';
import { count, duration, money } from '../../design/format.ts';
import { Failed } from '../../design/state.tsx';
import { StopCompletionDocument, TryModelDocument, type TryModelSubscription } from '../../generated/graphql.ts';

interface Run {
  /** Idempotency key: the run resumes after a dropped connection and is billed once. */
  readonly clientRequestId: string;
  readonly prompt: string;
}

type Finished = Extract<TryModelSubscription['completion'], { __typename?: 'CompletionFinished' }>;

/** One prompt, its streamed response, and tokens, time and cost. */
export function TryModel({ model }: { readonly model: string }): ReactNode {
  const [run, setRun] = useState<Run | null>(null);
  const [cancel] = useMutation(StopCompletionDocument);
  return (
    <div className="flex flex-col gap-2">
      <form
        className="flex items-end gap-1"
        onSubmit={(event) => {
          event.preventDefault();
          const prompt = new FormData(event.currentTarget).get('prompt');
          if (typeof prompt === 'string')
            setRun({ clientRequestId: crypto.getRandomValues(new Uint32Array(4)).join('-'), prompt });
        }}
      >
        <div className="min-w-0 flex-1">
          <Input
            label="Prompt"
            hidesLabel
            name="prompt"
            required
            autoComplete="off"
            defaultValue="Say hello in three languages."
          />
        </div>
        <Button variant="primary" type="submit">
          Send
        </Button>
      </form>
      {run ? (
        <StreamedResponse
          key={run.clientRequestId}
          model={model}
          run={run}
          onStop={() => void cancel({ clientRequestId: run.clientRequestId })}
        />
      ) : null}
    </div>
  );
}

function StreamedResponse({
  model,
  run,
  onStop,
}: {
  readonly model: string;
  readonly run: Run;
  readonly onStop: () => void;
}): ReactNode {
  const [text, setText] = useState('');
  const [finished, setFinished] = useState<Finished | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isStopped, setStopped] = useState(false);
  const failure = useSubscription(
    TryModelDocument,
    {
      input: { clientRequestId: run.clientRequestId, model, messages: [{ role: 'user', content: run.prompt }] },
    },
    ({ completion: event }) => {
      if (event.__typename === 'CompletionDelta') setText((before) => before + event.text);
      if (event.__typename === 'CompletionFinished') setFinished(event);
      if (event.__typename === 'CompletionFailed') {
        // A cancelled request is not an error.
        if (event.code === 'aborted') setStopped(true);
        else setError(event.message);
      }
      return event.__typename === 'CompletionToolCall' || event.__typename === 'EventGap' ? null : event.cursor;
    },
  );
  const isRunning = !finished && !error && !failure && !isStopped;
  return (
    <div className="flex flex-col gap-1">
      <div role="log" aria-label="Response" className="min-h-8 rounded-medium bg-panel p-2 whitespace-pre-wrap">
        {text}
        {isRunning ? (
          <span aria-hidden className="ml-0.25 inline-block h-2 w-1 animate-breathe bg-accent align-middle" />
        ) : null}
      </div>
      {error ? <Failed failure={{ message: error, code: 'failed', requestId: null }} /> : null}
      {failure ? <Failed failure={failure} /> : null}
      {isStopped ? <p className="text-small text-soft">Stopped. The tokens generated until then are billed.</p> : null}
      {finished ? (
        <p className="figures text-small text-soft">
          {count(finished.usage.outputTokens)} tokens in {duration(finished.durationMs)}
          {finished.firstTokenMs == null ? '' : `, first token after ${duration(finished.firstTokenMs)}`},{' '}
          {money(finished.cost.amount)}
        </p>
      ) : null}
      {isRunning ? (
        <div>
          <Button onClick={onStop} icon={<Square size={12} aria-hidden />}>
            Stop
          </Button>
        </div>
      ) : null}
    </div>
  );
}
