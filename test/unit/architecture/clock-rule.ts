const timeReaders =
  /\bDate\.now\b|\bperformance\.now\b|(?:(?<![.\w])|\bglobalThis\.)set(?:Timeout|Interval)\(|\btimers\/promises\b/;
const systemClockCall = /\bsystemClock\s*\.\s*\w/;

/** Files that call the system's clock by name, since they have no collaborators to be given another. */
const leaves: Readonly<Record<string, string>> = {
  'database/audit/record.ts': 'stamps a row',
  'database/embedded/embedded-server.ts': 'waits for a thread',
  'database/embedded/folder-lock.ts': 'waits for other processes and compares times of files',
  'database/embedded/lock-heartbeat.ts': 'other processes see when it updates a file',
  'gateway/capabilities/video/video.ts': 'stamps a job that is cancelled',
  'gateway/event-id.ts': 'stamps an id',
  'graphql/keys/api-key.mapping.ts': 'maps a row as it is now',
  'providers/replicate/video.ts': 'adds a lifetime to the moment of an answer',
  'providers/gemini/media/video.ts': 'adds a lifetime to the moment of an answer',
  'providers/shared/jobs/job-http.ts': 'waits for sockets to close',
  'providers/shared/http/upstream-error.ts': 'reads a date of HTTP as a time from now',
  'storage/redis/discover-primaries.ts': 'waits for servers to respond',
  'storage/redis/redis-connection.ts': 'waits for servers to be found; times of commands are by a `Clock`',
  'storage/redis/redis-subscriber.ts': 'waits for servers to be found',
  'rest/headers/response-headers.ts': 'stamps a head',
  'rest/http/http-client-response.ts': 'measures a request once',
};

/** Whether a text reads the time or starts a timer otherwise than by a `Clock`. */
export function readsTime(text: string): boolean {
  return timeReaders.test(text);
}

/** @returns the path of a file that calls the system's clock by name and may not; null for any other */
export function usesSystemClock({ path, text }: { readonly path: string; readonly text: string }): string | null {
  const isComposition = !path.includes('/') || path.startsWith('composition/');
  return isComposition || path === 'calendar/clock.ts' || path in leaves || !systemClockCall.test(text) ? null : path;
}
