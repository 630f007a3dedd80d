import { ConfigurationError } from '../config/environment.ts';
import { FolderInUseError } from '../database/embedded/folder-lock.ts';
import { SluiceError } from '../errors/index.ts';

/** A fault as it is printed: one that the operator can mend plainly, any other with its stack. */
export function tellFault(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  if (fault instanceof ConfigurationError || fault instanceof FolderInUseError || fault instanceof SluiceError)
    return fault.message;
  // The system's and Node's own faults have a code: a port taken, a folder that cannot be made, an unknown option.
  if ('code' in fault && typeof fault.code === 'string')
    return fault.message || `${fault.code}: ${innerMessage(fault)}`;
  return fault.stack ?? fault.message;
}

/** A connection that was tried at several addresses has an error of each, and no message of its own. */
function innerMessage(fault: Error): string {
  const [first] = fault instanceof AggregateError ? fault.errors : [fault.cause];
  return first instanceof Error ? first.message : 'no more is known';
}
