import { stdSerializers } from 'pino';

/** Matched by class, because system error codes such as EPIPE also have five letters. */
const SQLSTATE = /^(?:\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;
/** Messages of class 22 quote the offending value. Source: PostgreSQL's documentation, appendix A. */
const QUOTES_VALUES = /^22/;
/** Fields of a PostgreSQL error that contain no row or parameter values; `detail`, `where` and `hint` may. */
const harmless = ['code', 'severity', 'schema', 'table', 'column', 'dataType', 'constraint', 'routine'] as const;
const MAX_CAUSES = 5;

/** Serializes errors for the log. Values that were passed to the database are omitted: they belong to clients. */
export function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (!isOfDatabase(error, MAX_CAUSES)) return stdSerializers.err(error);
  return redacted(error, MAX_CAUSES);
}

/** Returns the error if it contains no values, else a redacted copy: for code that prints or stores errors itself. */
export function redactError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (!isOfDatabase(error, MAX_CAUSES)) return error;
  const { message, stack, ...fields } = redacted(error, 0);
  return Object.assign(new Error(message), fields, { name: error.name, stack: `${error.name}: ${message}\n${stack}` });
}

/** Checks the error and its causes. */
function isOfDatabase(error: Error, causes: number): boolean {
  if ('code' in error && typeof error.code === 'string' && SQLSTATE.test(error.code)) return true;
  return error.cause instanceof Error && causes > 0 && isOfDatabase(error.cause, causes - 1);
}

interface Redacted {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly cause?: object;
}

function redacted(error: Error, causes: number): Redacted {
  const own = 'code' in error && typeof error.code === 'string' && SQLSTATE.test(error.code) ? error.code : null;
  const message = own !== null && QUOTES_VALUES.test(own) ? `data exception ${own}` : withoutValues(error.message);
  const fields = harmless.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const cause = error.cause instanceof Error && causes > 0 ? redacted(error.cause, causes - 1) : undefined;
  return { type: error.name, message, ...Object.fromEntries(fields), stack: framesOf(error), ...(cause && { cause }) };
}

/** A wrapper repeats the message of the error it wraps, which may quote a value. */
function withoutValues(message: string): string {
  return message.replaceAll(/: "(?:[^"\\]|\\.)*"/gs, ': "…"').replaceAll(/0x[0-9a-f]{2}(?: 0x[0-9a-f]{2})*/g, '0x…');
}

/** The stack without the message. */
function framesOf({ stack = '' }: Error): string {
  const frames = stack.split('\n').filter((line) => line.trimStart().startsWith('at '));
  return frames.join('\n');
}
