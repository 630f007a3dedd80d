import { CombinedError } from 'urql';

/** A failed operation, for display. */
export interface Failure {
  readonly message: string;
  /** Code of the server's catalogue; `unreachable` without a response. */
  readonly code: string;
  /** Identifies the failure in the server's log; null without a response. */
  readonly requestId: string | null;
  /** Path of the invalid input field: `targets.0.model`. */
  readonly param?: string | undefined;
}

export function toFailure(error: unknown): Failure {
  if (!(error instanceof CombinedError)) return { message: textOf(error), code: 'internal_error', requestId: null };
  const response: unknown = error.response;
  const requestId = response instanceof Response ? response.headers.get('x-request-id') : null;
  const [first] = error.graphQLErrors;
  if (first) {
    const { message, extensions } = first;
    return { message, code: codeOf(extensions), requestId, param: paramOf(extensions) };
  }
  return {
    message: 'The server cannot be reached. Check the connection, then try again.',
    code: 'unreachable',
    requestId,
  };
}

export function codeOf(extensions: Readonly<Record<string, unknown>> | undefined): string {
  const code = extensions?.code;
  return typeof code === 'string' ? code : 'internal_error';
}

function paramOf(extensions: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const param = extensions?.param;
  return typeof param === 'string' ? param : undefined;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong.';
}
