import { stdSerializers } from 'pino';

/** By its class: an error number of the system, such as EPIPE, has five letters too. */
const SQLSTATE = /^(?:\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;
/** Class 22 quotes the value that is at fault. Source: PostgreSQL's documentation, appendix A. */
const QUOTES_VALUES = /^22/;
/** What PostgreSQL tells apart of an error, without what a row or a parameter holds: `detail`, `where` and `hint` do. */
const harmless = ['code', 'severity', 'schema', 'table', 'column', 'dataType', 'constraint', 'routine'] as const;
const MAX_CAUSES = 5;

/** Errors as they are logged. What a database says of the values that it was given is in no log: they are callers' own. */
export function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (!isOfDatabase(error, MAX_CAUSES)) return stdSerializers.err(error);
  return redacted(error, MAX_CAUSES);
}

/** The same error where it tells no values, else one in its place that does not: for what prints or stores errors itself. */
export function redactError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (!isOfDatabase(error, MAX_CAUSES)) return error;
  const { message, stack, ...told } = redacted(error, 0);
  return Object.assign(new Error(message), told, { name: error.name, stack: `${error.name}: ${message}\n${stack}` });
}

/** Itself, or what it was caused by. */
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
  const told = harmless.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const cause = error.cause instanceof Error && causes > 0 ? redacted(error.cause, causes - 1) : undefined;
  return { type: error.name, message, ...Object.fromEntries(told), stack: framesOf(error), ...(cause && { cause }) };
}

/** A wrapper repeats the message of what it wraps, which may quote a value. */
function withoutValues(message: string): string {
  return message.replaceAll(/: "(?:[^"\\]|\\.)*"/gs, ': "…"').replaceAll(/0x[0-9a-f]{2}(?: 0x[0-9a-f]{2})*/g, '0x…');
}

/** Without its first lines, which are the message. */
function framesOf({ stack = '' }: Error): string {
  const frames = stack.split('\n').filter((line) => line.trimStart().startsWith('at '));
  return frames.join('\n');
}
