import { isObject } from './json.ts';
import { useCallback } from 'react';
import { useViewer } from '../shell/viewer.ts';
import type { Failure } from './failure.ts';
import { useConnection } from './graphql/hooks.ts';

/** A response of `/v1` with its metadata. */
export interface RestResponse {
  readonly response: Response;
  /** USD; null if it is reported later or not at all. */
  readonly cost: string | null;
  readonly requestId: string | null;
  /** Time to first byte. */
  readonly firstByteMs: number;
}

/** An error response of `/v1`. */
export class RestFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export interface RestCall {
  /** Such as `/v1/images/generations`. */
  readonly path: string;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** `FormData` is sent as a form, everything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Calls `/v1` with the session cookie; the page holds no API key. */
export function useRest(): (call: RestCall) => Promise<RestResponse> {
  const { currentAccount } = useViewer();
  const { ended } = useConnection();
  const accountId = currentAccount.id;
  return useCallback(
    async (call) => {
      try {
        return await callRest(call, { 'x-sluice-session': '1', 'x-sluice-account': accountId });
      } catch (error) {
        if (error instanceof RestFailure && error.failure.code === 'unauthenticated') ended.notify();
        throw error;
      }
    },
    [accountId, ended],
  );
}

/** @throws RestFailure | the abort reason of `signal` */
export async function callRest(
  { path, method = 'POST', body, signal }: RestCall,
  headers: Readonly<Record<string, string>> = {},
): Promise<RestResponse> {
  const isForm = body instanceof FormData;
  const startedAt = performance.now();
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: { ...headers, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new RestFailure(unreachable);
  });
  const requestId = response.headers.get('x-request-id');
  if (!response.ok) throw new RestFailure(await failureOf(response, requestId));
  return {
    response,
    requestId,
    cost: response.headers.get('x-sluice-cost'),
    firstByteMs: performance.now() - startedAt,
  };
}

const unreachable: Failure = {
  message: 'The server cannot be reached. Check the connection, then try again.',
  code: 'unreachable',
  requestId: null,
};

async function failureOf(response: Response, requestId: string | null): Promise<Failure> {
  const body: unknown = await response.json().catch(() => null);
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  return {
    message: typeof error.message === 'string' ? error.message : `The server responded with ${response.status}.`,
    code: typeof error.code === 'string' ? error.code : String(response.status),
    requestId,
  };
}
