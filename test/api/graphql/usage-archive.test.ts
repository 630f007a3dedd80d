import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRunning, rowId, sqlText } from '../../harness/running-database.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

/** Of no request. */
const MONTH = '2001-02';

describe('usageLogCoverage', () => {
  let account: TestAccount;
  let accountId: string;

  async function ask(query: string, headers: Record<string, string>) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
    return answerSchema.parse(await response.json());
  }
  const byKey = (query: string) => ask(query, { authorization: `Bearer ${account.apiKey}` });

  beforeAll(async () => {
    account = await newAccount();
    accountId = rowId((await byKey('{ account { id } }')).data?.account.id);
    const values = [`${MONTH}-01T00:00:00Z`, 's3://of-the-operator/', '2001-04-01T00:00:00Z'].map(sqlText);
    await queryRunning(
      account.database,
      `insert into usage_archives (month, location, stored_before, archived_at) values (${values.join()}, now())`,
    );
  });
  afterAll(async () => {
    await queryRunning(
      account.database,
      `delete from usage_archives where month = ${sqlText(`${MONTH}-01T00:00:00Z`)}`,
    );
    await queryRunning(account.database, `delete from usage_retention where account_id = ${sqlText(accountId)}`);
    await account.dispose();
  });

  it('says since when the log is complete, and which months are archived', async () => {
    const query = '{ usageLogCoverage { keptFrom archivedMonths } }';
    expect((await byKey(query)).data).toEqual({ usageLogCoverage: { keptFrom: null, archivedMonths: [MONTH] } });
    const values = [accountId, '2001-03-01T00:00:00Z'].map(sqlText);
    await queryRunning(
      account.database,
      `insert into usage_retention (account_id, kept_from) values (${values.join()})`,
    );
    expect((await byKey(query)).data?.usageLogCoverage.keptFrom).toBe('2001-03-01T00:00:00.000Z');
  });

  it('tells other accounts than the operator’s no place', async () => {
    const query = '{ usageArchives { location } }';
    const asMember = (): ReturnType<typeof ask> => ask(query, { cookie: account.cookie });
    for (const answer of [asMember(), byKey(query)]) {
      const { data, errors } = await answer;
      expect([data?.usageArchives, errors?.map(({ extensions }) => extensions.code)]).toEqual([
        undefined,
        [expect.stringMatching(/forbidden|scope|permission/)],
      ]);
    }
  });
});
