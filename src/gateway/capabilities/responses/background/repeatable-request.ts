import type { ResponsesRequest } from '../../../../protocols/responses/decode-request/schema.ts';
import type { ResponseCall } from '../open-response.ts';
import type { RepeatableRequest } from './run-store.ts';

/** What is stored of a request, so that it can run again. */
export function repeatableRequest(call: ResponseCall, request: ResponsesRequest): RepeatableRequest {
  const { input: _storedApart, ...body } = request;
  const { cacheMs, tags, session, trace, key } = call;
  return { body, call: { cacheMs, tags, session, trace }, isBySession: key.credential === 'session' };
}
