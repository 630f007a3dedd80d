import { Client } from 'pg';
import { vi } from 'vitest';

/** What is sent to any database of this process while the work is done, begin and commit too. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const query = vi.spyOn(Client.prototype, 'query');
  try {
    await work();
    for (const [config] of query.mock.calls) {
      const given: unknown = config;
      if (typeof given === 'string') sent.push(given);
      else if (typeof given === 'object' && given !== null && 'text' in given) sent.push(String(given.text));
      else sent.push('a statement of another form');
    }
  } finally {
    query.mockRestore();
  }
  return sent;
}
