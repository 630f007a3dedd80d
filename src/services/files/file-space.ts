import type { EntityManager } from '@mikro-orm/postgresql';
import { SluiceError } from '../../errors/index.ts';
import { lockAccount } from '../accounts/account-lock.ts';

const usedBytes = `
select (select coalesce(sum(bytes), 0) from files where account_id = ?)
  + (select coalesce(sum(bytes), 0) from upload_parts where account_id = ?) as bytes`;

/** The space that the files of an account, and the parts of its uploads, may have together. */
export class FileSpace {
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws SluiceError file_storage_full if the account cannot store so many bytes more */
  async require(em: EntityManager, accountId: string, bytes: number): Promise<void> {
    const [row] = await em.execute<{ bytes: string }[]>(usedBytes, [accountId, accountId]);
    const used = Number(row?.bytes ?? 0);
    const limit = this.#maxBytes;
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
