import { Toast as Primitive } from 'radix-ui';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { createContext, use, useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Failure } from '../data/failure.ts';
import { CopyButton } from './copy.tsx';

interface ToastItem {
  readonly id: number;
  readonly text: string;
  readonly failure: Failure | null;
}

export interface ShowToast {
  done(text: string): void;
  failed(failure: Failure): void;
}

const ToastContext = createContext<ShowToast>({ done: () => undefined, failed: () => undefined });
const SUCCESS_DURATION_MS = 4_000;
/** Long enough to copy the request ID. */
const FAILURE_DURATION_MS = 12_000;

let next = 0;

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [toasts, setToasts] = useState<readonly ToastItem[]>([]);
  const add = useCallback((text: string, failure: Failure | null) => {
    next += 1;
    setToasts((before) => [...before.slice(-2), { id: next, text, failure }]);
  }, []);
  const showToast = useMemo<ShowToast>(
    () => ({ done: (text) => add(text, null), failed: (failure) => add(failure.message, failure) }),
    [add],
  );
  return (
    <ToastContext value={showToast}>
      <Primitive.Provider swipeDirection="down">
        {children}
        {toasts.map(({ id, text, failure }) => (
          <Primitive.Root
            key={id}
            duration={failure ? FAILURE_DURATION_MS : SUCCESS_DURATION_MS}
            onOpenChange={(open) => (open ? undefined : setToasts((before) => before.filter((each) => each.id !== id)))}
            className="flex items-start gap-1 rounded-medium border border-line bg-raised p-1.5 shadow-float animate-lift"
          >
            {failure ? (
              <CircleAlert size={16} aria-hidden className="mt-0.25 shrink-0 text-bad" />
            ) : (
              <CircleCheck size={16} aria-hidden className="mt-0.25 shrink-0 text-good" />
            )}
            <Primitive.Title className="min-w-0 flex-1 font-normal">{text}</Primitive.Title>
            {failure?.requestId ? <CopyButton text={failure.requestId} label="Copy request ID" /> : null}
          </Primitive.Root>
        ))}
        <Primitive.Viewport className="fixed right-2 bottom-2 z-60 flex w-[min(400px,calc(100vw-32px))] flex-col gap-1 outline-none" />
      </Primitive.Provider>
    </ToastContext>
  );
}

/** Shows the result of an action at the bottom of the page. */
export function useToast(): ShowToast {
  return use(ToastContext);
}
