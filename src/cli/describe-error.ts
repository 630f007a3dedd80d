import { ConfigurationError } from '../config/environment.ts';
import { DatabaseUnusableError } from '../database/connection-failure.ts';
import { redactError } from '../database/error-serializer.ts';
import { FolderInUseError } from '../database/embedded/folder-lock.ts';
import { SluiceError } from '../errors/index.ts';

/** A folder or file that cannot be made, read or written. */
const fileFaults = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EEXIST', 'ENOSPC', 'EDQUOT']);

/** A fault as it is printed: one that the operator can mend plainly, any other with its stack. */
export function describeError(given: unknown): string {
  if (
    given instanceof ConfigurationError ||
    given instanceof FolderInUseError ||
    given instanceof DatabaseUnusableError ||
    given instanceof SluiceError
  )
    return given.message;
  const fault = redactError(given);
  if (!(fault instanceof Error)) return String(fault);
  if ('code' in fault && typeof fault.code === 'string')
    return tellSystemFault(fault, fault.code) ?? (fault.message || `${fault.code}: ${innerMessage(fault)}`);
  return fault.stack ?? fault.message;
}

/** The system's own faults, with what the operator sets otherwise. */
function tellSystemFault(fault: Error, code: string): string | null {
  if (!('syscall' in fault)) return null;
  if (fault.syscall === 'listen' && 'port' in fault) {
    const host = 'address' in fault ? String(fault.address) : '';
    const place = `${host}:${String(fault.port)}`;
    if (code === 'EADDRINUSE') return `Another program listens at ${place} already: set PORT to another port.`;
    if (code === 'EACCES') return `This user may not listen at ${place}: set PORT to a port above 1023.`;
    if (code === 'EADDRNOTAVAIL') return `This machine has no address ${host}: set HOST to one that it has.`;
  }
  if ('path' in fault && fileFaults.has(code))
    return `${fault.message}\nSluice keeps its data there: set SLUICE_DATA_DIR to a folder that this user can write to.`;
  return null;
}

/** A connection that was tried at several addresses has an error of each, and no message of its own. */
function innerMessage(fault: Error): string {
  const [first] = fault instanceof AggregateError ? fault.errors : [fault.cause];
  return first instanceof Error ? first.message : 'no more is known';
}
