const ARGUMENTS = /, with args beginning with:.*$/s;

/** A server that does not know `HELLO` repeats its arguments in the error, with the password. */
export function withoutArguments<T>(error: T): T | Error {
  if (!(error instanceof Error) || !ARGUMENTS.test(error.message)) return error;
  return new Error(error.message.replace(ARGUMENTS, ''));
}
