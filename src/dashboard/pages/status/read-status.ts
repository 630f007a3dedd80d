import type { Failure } from '../../data/failure.ts';

export interface StatusEntry {
  readonly name: string;
  readonly state: 'operational' | 'degraded' | 'down' | 'unknown';
  readonly uptime_90d: number | null;
  readonly days: readonly (number | null)[];
}

export interface Status {
  readonly state: StatusEntry['state'];
  readonly updated_at: number;
  readonly since: string;
  readonly providers: readonly StatusEntry[];
  readonly capabilities: readonly StatusEntry[];
}

export type StatusResult =
  | { readonly kind: 'read'; readonly status: Status }
  | { readonly kind: 'signed_out' }
  | { readonly kind: 'failed'; readonly failure: Failure };

const HTTP_UNAUTHORIZED = 401;

export async function readStatus(): Promise<StatusResult> {
  try {
    const response = await fetch('/status.json', { headers: { accept: 'application/json' } });
    if (response.status === HTTP_UNAUTHORIZED) return { kind: 'signed_out' };
    const body: unknown = await response.json();
    // This server's own document.
    if (response.ok) return { kind: 'read', status: Object(body) satisfies Status };
    return failed(response.headers.get('x-request-id'));
  } catch {
    return failed(null);
  }
}

function failed(requestId: string | null): StatusResult {
  return { kind: 'failed', failure: { message: 'The status cannot be read now.', code: 'failed', requestId } };
}
