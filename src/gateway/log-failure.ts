import type { SluiceError } from '../errors/index.ts';
import type { PipelineLog } from './call.ts';

/** Tells the operator of what is ours to mend, or a provider's. */
export function logFailure(log: PipelineLog, requestId: string, error: SluiceError): void {
  const told = { err: error.cause, detail: error.detail, code: error.code, requestId };
  if (error.code === 'internal_error') log.error(told, 'a request failed');
  else if (error.detail || error.cause) log.warn(told, 'a provider failed a request');
}
