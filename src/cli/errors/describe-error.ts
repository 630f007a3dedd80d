import { ConfigurationError } from '../../config/environment.ts';
import { DatabaseUnusableError } from '../../database/connection-failure.ts';
import { redactError } from '../../database/error-serializer.ts';
import { FolderInUseError } from '../../database/embedded/folder-lock.ts';
import { SluiceError } from '../../errors/index.ts';

/** Codes of failed file and folder operations. */
const fileFaults = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EEXIST', 'ENOSPC', 'EDQUOT']);

/** Printable text of an error: the message of errors that the operator can fix, the stack of others. */
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
    return describeSystemError(fault, fault.code) ?? (fault.message || `${fault.code}: ${innerMessage(fault)}`);
  return fault.stack ?? fault.message;
}

/** System errors with the setting to change; null for others. */
function describeSystemError(fault: Error, code: string): string | null {
  if (!('syscall' in fault)) return null;
  // A worker has its supervisor listen, which then fails to bind.
  if ((fault.syscall === 'listen' || fault.syscall === 'bind') && 'port' in fault) {
    const host = 'address' in fault ? String(fault.address) : '';
    const place = `${host}:${String(fault.port)}`;
    if (code === 'EADDRINUSE') return `Another program already listens on ${place}. Set PORT to another port.`;
    if (code === 'EACCES') return `This user is not allowed to listen on ${place}. Set PORT to a port above 1023.`;
    if (code === 'EADDRNOTAVAIL')
      return `This machine does not have the address ${host}. Set HOST to one of its addresses.`;
  }
  if ('path' in fault && fileFaults.has(code))
    return `${fault.message}\nSluice stores its data there. Set SLUICE_DATA_DIR to a folder that this user can write to.`;
  return null;
}

/** A connection attempt to several addresses fails with one error per address and without a message of its own. */
function innerMessage(fault: Error): string {
  const [first] = fault instanceof AggregateError ? fault.errors : [fault.cause];
  return first instanceof Error ? first.message : 'no details';
}
