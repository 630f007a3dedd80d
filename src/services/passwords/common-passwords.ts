import { dictionary } from '@zxcvbn-ts/language-common';

/** Nearly 50,000 passwords, in lower case, from the top of published leaks. */
export const commonPasswords: ReadonlySet<string> = new Set(dictionary['passwords-common']);
