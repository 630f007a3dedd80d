import { Toast as Primitive } from 'radix-ui';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { createContext, use, useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Failure } from '../data/failure.ts';
import { CopyButton } from './copy.tsx';

interface Told {
  readonly id: number;
  readonly text: string;
  readonly failure: Failure | null;
}

export interface Tell {
  done(text: string): void;
  failed(failure: Failure): void;
}

const TellContext = createContext<Tell>({ done: () => undefined, failed: () => undefined });
const DONE_MS = 4_000;
/** Long enough to copy what an operator asks for. */
const FAILED_MS = 12_000;

let next = 0;

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [told, setTold] = useState<readonly Told[]>([]);
  const add = useCallback((text: string, failure: Failure | null) => {
    next += 1;
    setTold((before) => [...before.slice(-2), { id: next, text, failure }]);
  }, []);
  const tell = useMemo<Tell>(
    () => ({ done: (text) => add(text, null), failed: (failure) => add(failure.message, failure) }),
    [add],
  );
  return (
    <TellContext value={tell}>
      <Primitive.Provider swipeDirection="down">
        {children}
        {told.map(({ id, text, failure }) => (
          <Primitive.Root
            key={id}
            duration={failure ? FAILED_MS : DONE_MS}
            onOpenChange={(open) => (open ? undefined : setTold((before) => before.filter((each) => each.id !== id)))}
            className="flex items-start gap-1 rounded-medium border border-line bg-raised p-1.5 shadow-float animate-lift"
          >
            {failure ? (
              <CircleAlert size={16} aria-hidden className="mt-0.25 shrink-0 text-bad" />
            ) : (
              <CircleCheck size={16} aria-hidden className="mt-0.25 shrink-0 text-good" />
            )}
            <Primitive.Title className="min-w-0 flex-1 font-normal">{text}</Primitive.Title>
            {failure?.requestId ? <CopyButton text={failure.requestId} label="Copy the request id" /> : null}
          </Primitive.Root>
        ))}
        <Primitive.Viewport className="fixed right-2 bottom-2 z-60 flex w-[min(400px,calc(100vw-32px))] flex-col gap-1 outline-none" />
      </Primitive.Provider>
    </TellContext>
  );
}

/** Says at the page's foot how something ended. */
export function useToast(): Tell {
  return use(TellContext);
}
