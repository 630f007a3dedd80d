import { descriptorLimit, MIN_RECOMMENDED_LIMIT } from '../../descriptors/descriptor-limit.ts';
import { LIMIT_ADVICE } from '../../descriptors/limit-warnings.ts';
import { fault, found, type Finding } from './finding.ts';

const SUBJECT = 'Descriptors';

/** A server that is started in the same way has the same limit. */
export async function checkDescriptors(limit = descriptorLimit()): Promise<readonly Finding[]> {
  if (limit === null) return [found(SUBJECT, 'unused', 'the limit of open files is not known on this platform')];
  const text = `this command may have ${limit} files and connections open; a stream needs two`;
  if (limit >= MIN_RECOMMENDED_LIMIT) return [found(SUBJECT, 'ok', text)];
  return [fault(SUBJECT, 'warning', text, LIMIT_ADVICE)];
}
