import { isSecretName } from './detectors/assignment.ts';
import type { RedactionRules } from './rules.ts';
import { WINDOW_LENGTH } from './search-windows.ts';

/** The name of a member of an object. */
export interface Member {
  /** Whether nothing in it is redacted. */
  readonly isClean: boolean;
  readonly holdsSecret: boolean;
  readonly holdsPhone: boolean;
}

const phoneMember = /(?:phone|mobile|fax|whatsapp|msisdn)(?:[-_]?number)?$|^tel$/i;
const MAX_MEMBERS = 1_000;
const MAX_KEPT_LENGTH = 64;

/** Looks at each name once, because names repeat in every document. @param isClean whether nothing in a text is redacted */
export function memberNames(
  { detectors }: Pick<RedactionRules, 'detectors'>,
  isClean: (name: string) => boolean,
): (name: string) => Member {
  const known = new Map<string, Member>();
  const findsSecrets = detectors.includes('secret');
  const findsPhones = detectors.includes('phone');
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const member: Member = {
      // A name that is as long as a text is redacted as one.
      isClean: name.length <= WINDOW_LENGTH && isClean(name),
      holdsSecret: findsSecrets && isSecretName(name),
      holdsPhone: findsPhones && phoneMember.test(name),
    };
    if (name.length <= MAX_KEPT_LENGTH) {
      if (known.size >= MAX_MEMBERS) known.clear();
      known.set(name, member);
    }
    return member;
  };
}
