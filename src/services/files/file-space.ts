import type { EntityManager } from '@mikro-orm/postgresql';
import { SluiceError } from '../../errors/index.ts';
import { lockAccount } from '../accounts/account-lock.ts';

const sumOfBytes = `
select (select coalesce(sum(bytes), 0) from files where account_id = ?)
  + (select coalesce(sum(bytes), 0) from upload_parts where account_id = ?) as bytes`;

export interface FileSpaceUsage {
  readonly usedBytes: number;
  readonly maxBytes: number;
}

/** The space that the files of an account, and the parts of its uploads, may have together. */
export class FileSpace {
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  async usage(em: EntityManager, accountId: string): Promise<FileSpaceUsage> {
    const [row] = await em.execute<{ bytes: string }[]>(sumOfBytes, [accountId, accountId]);
    return { usedBytes: Number(row?.bytes ?? 0), maxBytes: this.#maxBytes };
  }

  /** @throws SluiceError file_storage_full if the account cannot store so many bytes more */
  async require(em: EntityManager, accountId: string, bytes: number): Promise<void> {
    const { usedBytes: used, maxBytes: limit } = await this.usage(em, accountId);
    if (used + bytes > limit) throw new SluiceError('file_storage_full', { values: { used, limit } });
  }

  /**
   * As `require`, and until the end of the transaction nobody else stores a file of the account: concurrent ones cannot exceed
   * the space together.
   * @param free removes what the new bytes replace
   */
  async claim(
    em: EntityManager,
    accountId: string,
    bytes: number,
    free?: (em: EntityManager) => Promise<void>,
  ): Promise<void> {
    await lockAccount(em, accountId);
    await free?.(em);
    await this.require(em, accountId, bytes);
  }
}
