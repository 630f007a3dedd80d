import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import type {
  NewResponse,
  RepeatableRequest,
  RunLease,
} from '../../../src/gateway/capabilities/responses/background/run-store.ts';
import { itemId, publicResponseId } from '../../../src/services/responses/response-id.ts';
import type { ResponseStatus } from '../../../src/gateway/capabilities/responses/response-object.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';

export interface Given extends Partial<Omit<NewResponse, 'key' | 'response'>> {
  readonly status?: ResponseStatus;
  /** The model's output; null for none. */
  readonly said?: string | null;
  /** Creation time in milliseconds since the epoch. */
  readonly at?: number;
}

/** The request of a background response. */
export const givenRequest: RepeatableRequest = {
  body: { model: 'sandbox/chat', background: true },
  call: { cacheMs: null, tags: { team: 'a' }, session: null, trace: null },
  isBySession: false,
};

/** The first lease of a background response. */
export const leaseOf = (id: string): RunLease => ({ id, token: 1 });

/** @returns its id */
export async function newAccount(database: Database): Promise<string> {
  const em = database.em();
  const account = em.create(Account, { name: 'A', createdAt: new Date() });
  await em.persist(account).flush();
  return account.id;
}

export function givenResponse(accountId: string, given: Given = {}): NewResponse {
  const { at = Date.now(), status = 'completed', said = 'Hello.', ...values } = given;
  const id = values.id ?? newEventIds(at).eventId;
  return {
    model: 'sandbox/chat',
    previousId: null,
    input: [{ type: 'message', role: 'user', content: 'Hi.' }],
    costNano: 12n,
    ...values,
    id,
    key: { id: randomUUID(), accountId, memberId: null },
    response: { id: publicResponseId(id), object: 'response', status, error: null, output: outputOf(id, said) },
  };
}

export function outputOf(id: string, said: string | null): object[] {
  if (said === null) return [];
  const content = [{ type: 'output_text', text: said, annotations: [] }];
  return [{ id: itemId('msg', id, 0), type: 'message', role: 'assistant', content }];
}

/** A database whose statements containing a text fail as during an outage, while it is switched on. */
export function awayAtTimes(database: Database, text: string): { readonly database: Database; away: boolean } {
  const query = <Row extends object>(statement: string, values?: readonly unknown[]): Promise<Row[]> =>
    state.away && statement.includes(text)
      ? Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
      : database.query<Row>(statement, values);
  const state = { database: { ...database, query }, away: true };
  return state;
}
