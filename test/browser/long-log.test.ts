import OpenAI from 'openai';
import { beforeAll, expect, it, vi } from 'vitest';
import { visit } from '../harness/chromium.ts';

import { queryRunning, sqlText } from '../harness/running-database.ts';
import type { TestAccount } from '../harness/shared-server.ts';
import { walkLog } from './walk-log.ts';
import { describeInBrowser } from './stage.ts';

/** Three complete pages of the log and part of a fourth. */
const ROWS = 350;
const PATIENCE_MS = 120_000;

describeInBrowser('a log of several pages', (stage) => {
  beforeAll(async () => {
    await fillLog(stage.account);
  });

  it('renders few rows while it is scrolled and restores the position', async () => {
    const { page, errors } = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    await walkLog(page, 200);
    expect(errors).toEqual([]);
  });
});

/** One request and copies of its row with descending times. */
async function fillLog({ url, apiKey, email, database }: TestAccount): Promise<void> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey });
  await openai.embeddings.create({ model: 'sandbox/embedding', input: 'a' });
  const copy = `insert into usage_logs select (json_populate_record(one, json_build_object(
      'event_id', gen_random_uuid(), 'began_at', one.began_at - number * interval '1 millisecond'))).*
    from usage_logs one
    join memberships using (account_id)
    join users on users.id = memberships.user_id and users.email = ${sqlText(email)}
    cross join generate_series(1, ${ROWS}) number returning 1 as copied`;
  // A row is written shortly after its response.
  await vi.waitFor(async () => expect(await queryRunning(database, copy)).toHaveLength(ROWS), PATIENCE_MS);
}
