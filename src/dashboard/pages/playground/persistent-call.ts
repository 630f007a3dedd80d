import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { useConnection } from '../../data/graphql/hooks.ts';
import { isObject } from '../../data/json.ts';
import { persistentState } from '../../data/persistent-state.ts';
import { useRest, type RestResponse, type RestCall } from '../../data/rest.ts';
import { readResult, removeResults, storeResult } from '../../data/stored-results.ts';
import { useViewer } from '../../shell/viewer.ts';
import type { Capability } from './capabilities.ts';
import { Call, noCall, type CallResult, type CallState } from './call.ts';
import { storesPrompts, useStorageKey } from './history.ts';

export interface CallHandle<T> extends CallState<T> {
  /** Cancels the previous call. @param input shown with the result: the prompt or file name */
  call(request: RestCall, input: string, read: (response: RestResponse) => Promise<T>): void;
  stop(): void;
  /** Removes the result from the page and the browser's storage. */
  clear(): void;
  /** Replaces the value of the result. */
  change(value: T): void;
}

/** How results are stored across reloads. */
export interface Storage<T> {
  readonly capability: Capability;
  /** Validates a value stored by `storeResult`; null when it is invalid. */
  readonly read: (stored: unknown) => T | null;
}

/**
 * One call of `/v1` at a time: a new call cancels the previous one. It continues when the page is left, and its result is shown when
 * the page is opened again.
 * @param storage for results that survive a reload
 */
export function persistentCall<T>(storage: Storage<T> | null = null): () => CallHandle<T> {
  const useCurrent = persistentState<Call<T> | null>(null);
  return () => {
    const rest = useRest();
    const connection = useConnection();
    const [current, setCurrent] = useCurrent();
    const state = useSyncExternalStore<CallState<T>>(
      current?.subscribe ?? noopSubscribe,
      () => current?.state ?? noCall,
    );
    const restore = useCallback(
      (result: CallResult<T>) => setCurrent((before) => before ?? new Call({ ...noCall, result })),
      [setCurrent],
    );
    const stored = useStored(storage, restore);
    const call = (request: RestCall, input: string, read: (response: RestResponse) => Promise<T>): void => {
      current?.stop();
      const next = new Call<T>({ ...noCall, pending: true });
      setCurrent(next);
      const send = (signal: AbortSignal): Promise<RestResponse> => rest({ ...request, signal });
      void next.run(input, send, read, connection).then((result) => (result ? stored.store(result) : undefined));
    };
    const clear = (): void => {
      setCurrent(null);
      stored.remove();
    };
    const change = (value: T): void => {
      if (!state.result) return;
      const result = { ...state.result, value };
      setCurrent(new Call({ ...noCall, result }));
      stored.store(result);
    };
    return { ...state, call, stop: () => current?.stop(), clear, change };
  };
}

const noopSubscribe = (): (() => void) => () => undefined;

interface Stored<T> {
  store(result: CallResult<T>): void;
  remove(): void;
}

/** @param restore called once with the stored result */
function useStored<T>(storage: Storage<T> | null, restore: (result: CallResult<T>) => void): Stored<T> {
  const prefix = useStorageKey();
  const { zeroRetention } = useViewer().currentAccount;
  const storageKey = storage === null ? null : `${prefix}.${storage.capability}`;
  const onRestore = useRef(restore);
  useEffect(() => {
    if (storage === null || storageKey === null) return undefined;
    if (zeroRetention) {
      // Removes results from before zero retention was turned on.
      void removeResults(storageKey);
      return undefined;
    }
    let isUnmounted = false;
    void readResult(storageKey).then((found) => {
      const result = resultIn(found, storage.read);
      if (result && !isUnmounted) onRestore.current(result);
    });
    return () => {
      isUnmounted = true;
    };
  }, [storageKey, storage, zeroRetention]);
  return {
    store: (result) => {
      if (storageKey !== null && !zeroRetention && storesPrompts(prefix)) void storeResult(storageKey, result);
    },
    remove: () => {
      if (storageKey !== null) void removeResults(storageKey);
    },
  };
}

function resultIn<T>(found: unknown, read: Storage<T>['read']): CallResult<T> | null {
  if (!isObject(found)) return null;
  const value = read(found.value);
  if (value === null) return null;
  return {
    value,
    input: typeof found.input === 'string' ? found.input : '',
    cost: typeof found.cost === 'string' ? found.cost : null,
    durationMs: typeof found.durationMs === 'number' ? found.durationMs : null,
  };
}
