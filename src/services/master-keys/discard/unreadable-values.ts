import { createHash } from 'node:crypto';
import { CredentialVault, UnsealError } from '../../connections/credential-vault.ts';
import { writtenContent, Resealer, type EncryptedContents } from '../reseal.ts';
import { Rotation } from '../rotation.ts';
import type { SealedColumn, SealedValue } from '../sealed-columns.ts';
import { UnreadableContents, type ContentSources } from './unreadable-contents.ts';

/** No master key has it: values of all versions are read. */
const NO_VERSION = 0;

/** A value that no known key decrypts. */
export interface UnreadableValue {
  readonly row: readonly string[];
  readonly accountId: string;
  readonly boundTo: string;
  /** SHA-256 in hex, to discard it only if it is still the same. */
  readonly digest: string;
}

/** The values of one column that no known key decrypts; at least one. */
export interface UnreadableColumn {
  readonly column: SealedColumn;
  readonly values: readonly UnreadableValue[];
}

export interface UnreadableSources extends ContentSources {
  readonly encrypted: EncryptedContents;
}

/** Reads all that is stored under a master key. @throws where storage is unavailable */
export async function findUnreadable(sources: UnreadableSources): Promise<UnreadableColumn[]> {
  const { database, keys, encrypted } = sources;
  const stored = new Rotation({ database, resealer: new Resealer(keys, encrypted), version: NO_VERSION });
  const vault = new CredentialVault(keys);
  const contents = new UnreadableContents(sources);
  const found: UnreadableColumn[] = [];
  // There can be millions of values: their accounts and rows share strings, and text takes less memory than a buffer.
  const accountIds = new Map<string, string>();
  for (const column of await stored.columns()) {
    const values: UnreadableValue[] = [];
    for await (const page of stored.pages(column))
      for (const each of page) {
        // Its account was removed meanwhile.
        if (each.accountId === null) continue;
        if (!(await isUnreadable(column, each, { vault, contents, encrypted }))) continue;
        const accountId = accountIds.get(each.accountId) ?? each.accountId;
        accountIds.set(accountId, accountId);
        const [first = ''] = each.row;
        const boundTo = each.boundTo === first ? first : (each.boundTo ?? '');
        const digest = createHash('sha256').update(each.value).digest('hex');
        values.push({ row: each.row, accountId, boundTo, digest });
      }
    if (values.length > 0) found.push({ column, values });
  }
  return found;
}

interface Readers {
  readonly vault: CredentialVault;
  readonly contents: UnreadableContents;
  readonly encrypted: EncryptedContents;
}

async function isUnreadable(
  column: SealedColumn,
  given: SealedValue,
  { vault, contents, encrypted }: Readers,
): Promise<boolean> {
  const { accountId, boundTo, value } = given;
  if (column.kind === 'content key') return contents.isUnreadable(column, given);
  if (column.kind === 'encrypted_content')
    return withoutUnreadable(value.toString(), accountId ?? '', encrypted) !== null;
  try {
    vault.open(value, { accountId: accountId ?? '', rowId: boundTo ?? '' });
    return false;
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    return true;
  }
}

/**
 * JSON whose unreadable `encrypted_content` is empty: the conversation continues without it, instead of being refused.
 * @returns null where all is readable
 */
export function withoutUnreadable(text: string, accountId: string, encrypted: EncryptedContents): Buffer | null {
  const seal = encrypted.of(accountId);
  let unreadable = 0;
  const cleared = text.replace(writtenContent, (whole: string, before: string, kind: string, sealed: string) => {
    if (seal.open(kind, sealed) !== null) return whole;
    unreadable++;
    return before;
  });
  return unreadable === 0 ? null : Buffer.from(cleared);
}
