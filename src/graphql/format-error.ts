import { ApolloServerErrorCode, unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { messageWithKeyAdvice, SluiceError, toSluiceError, type ErrorCode } from '../errors/index.ts';
import { asInputError } from '../services/unstorable-text.ts';
import { requestIdOf } from './http/request-ids.ts';

export interface GraphqlLog {
  error(fields: object, message: string): void;
}

export interface ErrorSettings {
  readonly log: GraphqlLog;
  /** The public origin of this server. */
  readonly publicUrl: () => string;
}

/** Errors in the document or its variables. Their messages are returned to the client. */
const CLIENT_ERROR_CODES: ReadonlySet<unknown> = new Set(
  Object.values(ApolloServerErrorCode).filter((code) => code !== ApolloServerErrorCode.INTERNAL_SERVER_ERROR),
);

/** Gives every error a code of the catalogue. Unexpected errors are masked and logged. */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  { log, publicUrl }: ErrorSettings,
): GraphQLFormattedError {
  const original = asInputError(catalogueError(error) ?? unwrapResolverError(error));
  if (original instanceof SluiceError)
    return withCode(
      formatted,
      original.code,
      messageWithKeyAdvice(original, publicUrl()),
      original,
      log,
      requestIdOf(error),
    );
  if (CLIENT_ERROR_CODES.has(formatted.extensions?.code))
    return {
      ...formatted,
      message: withoutValue(formatted.message),
      extensions: { code: 'graphql_invalid' satisfies ErrorCode },
    };
  if (original instanceof GraphQLError && original.originalError === undefined)
    return { ...formatted, extensions: { code: 'graphql_invalid' satisfies ErrorCode } };
  const masked = toSluiceError(original);
  return withCode(formatted, masked.code, masked.message, masked, log, requestIdOf(error));
}

/** A catalogue error that a validation rule reported: it has no path. */
function catalogueError(error: unknown): SluiceError | null {
  return error instanceof GraphQLError && error.originalError instanceof SluiceError ? error.originalError : null;
}

/** The message without the variable's value, which may be a password or a key. */
function withoutValue(message: string): string {
  const [, name, path, fault] =
    /^Variable "(\$\w+)" got invalid value .*?(?: at "([^"]*)")?; ([^;]*)$/s.exec(message) ?? [];
  if (name === undefined || fault === undefined) return message;
  return `Variable "${name}" got an invalid value${path === undefined ? '' : ` at "${path}"`}; ${fault.replace(/( value: ).*/s, '$1…')}`;
}

function withCode(
  formatted: GraphQLFormattedError,
  code: ErrorCode,
  message: string,
  error: SluiceError,
  log: GraphqlLog,
  requestId: string | undefined,
): GraphQLFormattedError {
  if (error.status >= 500)
    log.error({ err: error.cause ?? error, code, path: formatted.path, requestId }, 'GraphQL operation failed');
  return {
    message,
    ...(formatted.locations && { locations: formatted.locations }),
    ...(formatted.path && { path: formatted.path }),
    extensions: {
      code,
      ...(error.param && { param: error.param }),
      ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    },
  };
}
