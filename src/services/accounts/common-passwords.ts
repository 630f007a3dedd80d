import { dictionary } from '@zxcvbn-ts/language-common';

/** Nearly 50,000 passwords, in small letters, that head the published collections of leaked ones. */
export const commonPasswords: ReadonlySet<string> = new Set(dictionary['passwords-common']);
