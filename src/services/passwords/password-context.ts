/** The owner of a password: it must not consist of what others know about them. */
export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

const SERVICE = 'sluice';
/** Shorter words occur in too many passwords by chance. */
const MIN_WORD_LENGTH = 4;
/** The minimum length of a password without words that relate to its owner. */
const MIN_OWN_CHARACTERS = 4;

/** Whether a password consists mostly of words that relate to its owner or to this product. Case-insensitive. */
export function isAboutOwner(password: string, { email, name }: PasswordOwner): boolean {
  const plain = password.toLowerCase();
  const [local = '', domain = ''] = email.toLowerCase().split('@');
  const words = [email, local, domain, ...local.split(/[^\p{L}\p{N}]+/u), ...domain.split('.').slice(0, -1)]
    .concat(name, name.replaceAll(/\s+/g, ''), ...name.split(/\s+/), SERVICE)
    .map((word) => word.normalize('NFKC').toLowerCase())
    .filter((word) => word.length >= MIN_WORD_LENGTH)
    .toSorted((a, b) => b.length - a.length);
  const own = words.reduce((left, word) => left.replaceAll(word, ''), plain);
  return own !== plain && own.replaceAll(/[^\p{L}\p{N}]/gu, '').length < MIN_OWN_CHARACTERS;
}
