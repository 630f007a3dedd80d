import OpenAI from 'openai';
import type { openDatabase } from '../../src/database/database.ts';
import { startServer, type ServerProcess } from './server-process.ts';

/** A server whose first owner has a log of so many requests: one that was made, and copies of it, each a little earlier than the other. @param open of the sources, or of what is built */
export async function startWithLongLog(
  rows: number,
  open: typeof openDatabase,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const first = await startServer(env);
  const openai = new OpenAI({ baseURL: `${first.url}/v1`, apiKey: first.apiKey });
  await openai.embeddings.create({ model: 'sandbox/embedding', input: 'a' });
  await first.end('SIGTERM');
  const database = await open({ dataDir: first.dataDir });
  try {
    await database
      .em()
      .getConnection()
      .execute(
        `insert into usage_logs select (json_populate_record(one, json_build_object(
           'event_id', gen_random_uuid(), 'began_at', one.began_at - number * interval '1 millisecond'))).*
         from usage_logs one cross join generate_series(1, ${rows}) number`,
      );
  } finally {
    await database.close();
  }
  return first.restart();
}
