import { useCallback, useEffect, useRef, useState } from 'react';
import type { Failure } from '../../data/failure.ts';
import { RestFailure, useRest, type RestAnswer, type RestCall } from '../../data/rest.ts';

export interface Called<T> {
  readonly value: T | null;
  readonly failure: Failure | null;
  readonly pending: boolean;
  readonly cost: string | null;
  readonly durationMs: number | null;
  call(request: RestCall, read: (answer: RestAnswer) => Promise<T>): void;
  stop(): void;
}

const none = { value: null, failure: null, pending: false, cost: null, durationMs: null } as const;

/** One call of `/v1` at a time: a new one ends the one before, and so does leaving the page. */
export function useCall<T>(): Called<T> {
  const rest = useRest();
  const [state, setState] = useState<Omit<Called<T>, 'call' | 'stop'>>(none);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const stop = useCallback(() => {
    running.current?.abort();
    setState((before) => ({ ...before, pending: false }));
  }, []);
  const call = useCallback(
    (request: RestCall, read: (answer: RestAnswer) => Promise<T>) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      setState({ ...none, pending: true });
      const startedAt = performance.now();
      const run = async (): Promise<void> => {
        try {
          const answer = await rest({ ...request, signal: controller.signal });
          const value = await read(answer);
          if (controller.signal.aborted) return;
          setState({ ...none, value, cost: answer.cost, durationMs: performance.now() - startedAt });
        } catch (error) {
          if (!controller.signal.aborted) setState({ ...none, failure: failureOf(error) });
        }
      };
      void run();
    },
    [rest],
  );
  return { ...state, call, stop };
}

export function failureOf(error: unknown): Failure {
  if (error instanceof RestFailure) return error.failure;
  return { message: 'The answer could not be read. Try again.', code: 'unreadable', requestId: null };
}
