import type { ErrorCode, SluiceError } from '../../errors/index.ts';

/** The request was refused for now, whatever it asks. */
const temporary: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'rate_limit_requests',
  'rate_limit_tokens',
  'rate_limit_concurrency',
  'limits_unavailable',
  'metering_unavailable',
  'moderation_unavailable',
  'database_unavailable',
  'shutting_down',
  'resources_exhausted',
]);

/** Whether the request may run once a limit or the server has room, whatever it asks. */
export function isLimit({ code, upstream }: SluiceError): boolean {
  return upstream === undefined && temporary.has(code);
}
