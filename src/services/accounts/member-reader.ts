import type { Database } from '../../database/database.ts';
import { Membership, type User } from '../../database/entities/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { isUuid } from '../uuid.ts';

/** Reads the members of an account. */
export class MemberReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The members among these users. @throws SluiceError database_unavailable */
  byIds(accountId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, User>> {
    return mapDatabaseErrors(async () => {
      const members = await this.#database
        .em()
        .find(Membership, { account: accountId, user: { $in: userIds.filter(isUuid) } }, { populate: ['user'] });
      return new Map(members.map(({ user }) => [user.id, user]));
    });
  }
}
