import { CombinedError } from 'urql';

/** What a page says of an operation that failed. */
export interface Failure {
  readonly message: string;
  /** Of the server's catalogue; `unreachable` where it did not answer. */
  readonly code: string;
  /** What an operator finds the failure by in the server's log; null where there was no answer. */
  readonly requestId: string | null;
  /** The member of the input at fault, as a path: `targets.0.model`. */
  readonly param?: string | undefined;
}

export function toFailure(error: unknown): Failure {
  if (!(error instanceof CombinedError)) return { message: textOf(error), code: 'internal_error', requestId: null };
  const answer: unknown = error.response;
  const requestId = answer instanceof Response ? answer.headers.get('x-request-id') : null;
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
