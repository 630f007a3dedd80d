import { Check, KeyRound } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useMutation } from '../../data/graphql/hooks.ts';
import { SandboxBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CodeSamples, CopyLine } from '../../design/code.tsx';
import { duration } from '../../design/format.ts';
import { chatSamples } from '../../design/samples.ts';
import { Skeleton } from '../../design/state.tsx';
import { useToast } from '../../design/toast.tsx';
import { CreateFirstKeyDocument, type CreateFirstKeyMutation } from '../../generated/graphql.ts';
import { KeySafety } from '../keys/key-safety.tsx';
import { useSampleModel } from '../keys/sample-model.ts';
import type { LiveRequest } from './use-live-requests.ts';

type CreatedKey = CreateFirstKeyMutation['createApiKey'];

/** Guides a new account to its first request. */
export function FirstSteps({
  live,
  onDone,
}: {
  readonly live: readonly LiveRequest[];
  readonly onDone: () => void;
}): ReactNode {
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const [create, pending] = useMutation(CreateFirstKeyDocument);
  const toast = useToast();
  const model = useSampleModel(null);
  const firstRequest = live[0];
  const createKey = async (): Promise<void> => {
    const { data, failure } = await create({ input: { name: 'First key' } });
    if (failure) toast.failed(failure);
    else setCreated(data.createApiKey);
  };
  return (
    <section aria-label="First steps" className="rounded-large border border-line p-3 max-md:p-2">
      <h2 className="mb-2 text-large">Your first request</h2>
      <ol className="flex flex-col gap-3">
        <Step number={1} title="Create an API key" isDone={created !== null}>
          {created === null ? (
            <div>
              <Button
                variant="primary"
                pending={pending}
                onClick={() => void createKey()}
                icon={<KeyRound size={16} aria-hidden />}
              >
                Create Key
              </Button>
            </div>
          ) : (
            <>
              <CopyLine text={created.secret} label="Copy the key" />
              <p className="text-soft">Copy it now. It is shown only once.</p>
              <KeySafety apiKeyId={created.apiKey.id} />
            </>
          )}
        </Step>
        <Step number={2} title="Send a request with it" isDone={firstRequest !== undefined}>
          {model === null ? (
            <Skeleton className="h-24" />
          ) : (
            <>
              <CodeSamples
                samples={chatSamples({ origin: location.origin, key: created?.secret ?? null, model: model.id })}
              />
              <div>
                <SandboxBadge model={model.id} />
              </div>
            </>
          )}
        </Step>
        <Step number={3} title="Watch the request" isDone={firstRequest?.state === 'finished'}>
          {firstRequest === undefined ? (
            <p role="status" className="flex items-center gap-1 text-soft">
              <span aria-hidden className="size-1 animate-breathe rounded-full bg-accent" />
              Waiting for your first request …
            </p>
          ) : (
            <div role="status" className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span>
                {firstRequest.state === 'finished' && firstRequest.durationMs !== null
                  ? `${firstRequest.model} responded in ${duration(firstRequest.durationMs)}.`
                  : firstRequest.state === 'failed'
                    ? `The request failed: ${firstRequest.error ?? 'see Usage Logs'}`
                    : `${firstRequest.model} is responding …`}
              </span>
              <Button onClick={onDone}>Done</Button>
            </div>
          )}
        </Step>
      </ol>
    </section>
  );
}

function Step({
  number,
  title,
  isDone,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <li className="grid grid-cols-[24px_minmax(0,1fr)] gap-x-1.5 gap-y-1">
      <span
        aria-hidden
        className={`grid size-3 place-items-center rounded-full text-small ${isDone ? 'bg-good-wash text-good' : 'bg-hover text-soft'}`}
      >
        {isDone ? <Check size={14} /> : number}
      </span>
      <h3 className="leading-[24px]">{title}</h3>
      <div className="col-start-2 flex min-w-0 flex-col gap-1 max-md:col-span-2 max-md:col-start-1">{children}</div>
    </li>
  );
}
