import type { ResponseCall } from '../open-response.ts';
import type { RepeatableRequest } from './run-store.ts';

/** What is stored of a request, so that it can run again. @param request with its input, which is stored apart */
export function repeatableRequest(
  call: ResponseCall,
  request: { readonly input?: unknown } & RepeatableRequest['body'],
): RepeatableRequest {
  const { input: _storedApart, ...body } = request;
  const { cacheMs, tags, session, trace, key } = call;
  return { body, call: { cacheMs, tags, session, trace }, isBySession: key.credential === 'session' };
}
