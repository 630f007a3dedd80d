import { AsyncLocalStorage } from 'node:async_hooks';

const none: readonly string[] = [];

/** Null until a request is traced: without tracing, nothing is looked up. */
let storage: AsyncLocalStorage<readonly string[]> | null = null;

/** Runs `work`, whose requests to providers have these headers, also those that follow it asynchronously. */
export function withTraceHeaders<T>(headers: readonly string[], work: () => T): T {
  storage ??= new AsyncLocalStorage();
  return storage.run(headers, work);
}

/** `traceparent` and `tracestate` of a request to a provider: names and values in turn. */
export function traceHeaders(): readonly string[] {
  return storage === null ? none : (storage.getStore() ?? none);
}
