import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { NewResponse } from '../../../src/gateway/capabilities/responses/background/run-store.ts';
import { itemId, publicResponseId } from '../../../src/services/responses/response-id.ts';
import type { ResponseStatus } from '../../../src/gateway/capabilities/responses/response-object.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { accountReach } from '../../../src/services/object-reach.ts';
import { ChangeSignal } from '../../../src/live/change-signal.ts';
import { ResponsesService } from '../../../src/services/responses/responses.service.ts';
import { StoredItems } from '../../../src/services/responses/stored-items.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import {
  awayAtTimes,
  type Given,
  givenRequest,
  givenResponse,
  leaseOf,
  newAccount,
  outputOf,
} from './given-response.ts';

const log = { warn: () => undefined };
const changes = new ChangeSignal();

describeWithDatabase('the previous conversation', (databases) => {
  let database: Database;
  let service: ResponsesService;
  let accountId: string;

  beforeAll(async () => {
    database = await databases.open();
    service = new ResponsesService({ database, changes, log });
    accountId = await newAccount(database);
  });

  async function kept(given: Given): Promise<NewResponse> {
    const response = givenResponse(accountId, given);
    await service.store(response);
    return response;
  }

  const asked = (content: string): { readonly input: readonly object[] } => ({
    input: [{ type: 'message', role: 'user', content }],
  });

  const words = (items: readonly object[]): string[] =>
    items.map((item) => /"(?:content|text)":"([^"]*)"/.exec(JSON.stringify(item))?.[1] ?? '');

  const conversation = ({ id }: { readonly id: string }, of = service, mostItems?: number): Promise<object[]> =>
    of.conversation(accountReach(accountId), publicResponseId(id), mostItems);

  it('contains the items up to the given response, oldest first', async () => {
    const first = await kept({ ...asked('1'), said: 'one' });
    const second = await kept({ ...asked('2'), said: 'two', previousId: first.id, status: 'incomplete' });
    const third = await kept({ input: [...asked('3').input, ...asked('3b').input], said: null, previousId: second.id });
    // Another branch, and a response without a successor.
    await kept({ ...asked('x'), previousId: first.id });
    expect(words(await conversation(third))).toEqual(['1', 'one', '2', 'two', '3', '3b']);
    expect(words(await conversation(first))).toEqual(['1', 'one']);
    expect((await conversation(first))[1]).toEqual(outputOf(first.id, 'one')[0]);
  });

  it('starts after a deleted response', async () => {
    const first = await kept({ ...asked('1') });
    const second = await kept({ ...asked('2'), said: 'two', previousId: first.id });
    await service.remove(accountReach(accountId), publicResponseId(first.id));
    expect(words(await conversation(second))).toEqual(['2', 'two']);
    await expect(conversation(first)).rejects.toMatchObject({ code: 'previous_response_not_found' });
  });

  it('does not include another account’s responses', async () => {
    const strange = givenResponse(await newAccount(database), { said: 'secret' });
    await service.store(strange);
    const mine = await kept({ ...asked('1'), said: 'one', previousId: strange.id });
    expect(words(await conversation(mine))).toEqual(['1', 'one']);
  });

  it.each<ResponseStatus>(['failed', 'cancelled'])('is none behind a response that is %s', async (status) => {
    const publicId = publicResponseId((await kept({ status })).id);
    await expect(service.conversation(accountReach(accountId), publicId)).rejects.toMatchObject({
      code: 'previous_response_not_found',
      status: 400,
      param: 'previous_response_id',
      message: `Previous response with id '${publicId}' not found.`,
    });
  });

  it('is not found for a running response and an invalid id', async () => {
    const running = givenResponse(accountId, { status: 'queued' });
    await service.begin(running, givenRequest, 60_000);
    await expect(conversation(running)).rejects.toMatchObject({ code: 'previous_response_not_found' });
    await service.append(leaseOf(running.id), [], { ...running.response, status: 'in_progress' });
    await expect(conversation(running)).rejects.toMatchObject({ code: 'previous_response_not_found' });
    await expect(conversation({ id: newEventIds().eventId })).rejects.toMatchObject({ status: 400 });
    await expect(service.conversation(accountReach(accountId), 'nothing')).rejects.toMatchObject({
      message: "Previous response with id 'nothing' not found.",
    });
  });

  it('is rejected with too many items', async () => {
    const first = await kept({ ...asked('1') });
    const second = await kept({ ...asked('2'), previousId: first.id });
    expect(await conversation(second, service, 4)).toHaveLength(4);
    await expect(conversation(second, service, 3)).rejects.toMatchObject({
      code: 'invalid_value',
      param: 'previous_response_id',
    });
  });

  it('is rejected with too many responses', async () => {
    const ids = Array.from({ length: 1_001 }, () => newEventIds().eventId);
    const template = await kept({ ...asked('1'), said: null });
    await database.query(
      `insert into responses (id, account_id, api_key_id, model, status, previous_id, input, response, created_at, completed_at, expires_at)
       select given.id, account_id, api_key_id, model, status, given.previous_id, input, response, created_at, completed_at, expires_at
       from responses, unnest($2::uuid[], $3::uuid[]) as given(id, previous_id) where responses.id = $1`,
      [template.id, ids, [null, ...ids.slice(0, -1)]],
    );
    const [last, lastButOne] = [ids.at(-1) ?? '', ids.at(-2) ?? ''];
    expect(await conversation({ id: lastButOne })).toHaveLength(1_000);
    await expect(conversation({ id: last })).rejects.toMatchObject({ code: 'invalid_value' });
    const away = awayAtTimes(database, 'insert into responses');
    const other = new ResponsesService({ database: away.database, changes, log });
    const held = givenResponse(accountId, { ...asked('2'), previousId: lastButOne });
    other.storeSoon(held);
    await expect(conversation(held, other)).rejects.toMatchObject({ code: 'invalid_value' });
    away.away = false;
    await other.close();
  });

  it('is rejected if it is too large for memory', async () => {
    const large = 'x'.repeat(1_000);
    const first = await kept({ ...asked(large), said: 'one' });
    const second = await kept({ ...asked(large), said: 'two', previousId: first.id });
    const third = await kept({ ...asked(large), said: 'three', previousId: second.id });
    const items = new StoredItems({ database, unstored: { find: () => null }, maxBytes: 3_500 });
    expect(await items.conversation(accountReach(accountId), publicResponseId(second.id), 100)).toHaveLength(4);
    const last = publicResponseId(third.id);
    await expect(items.conversation(accountReach(accountId), last, 100)).rejects.toMatchObject({
      code: 'invalid_value',
    });
  });

  it('includes responses that are not stored yet', async () => {
    const away = awayAtTimes(database, 'insert into responses');
    const other = new ResponsesService({ database: away.database, changes, log });
    const first = await kept({ ...asked('1'), said: 'one' });
    const second = givenResponse(accountId, { ...asked('2'), said: 'two', previousId: first.id });
    const third = givenResponse(accountId, { ...asked('3'), said: 'three', previousId: second.id });
    other.storeSoon(second);
    other.storeSoon(third);
    expect(words(await conversation(third, other))).toEqual(['1', 'one', '2', 'two', '3', 'three']);
    const names = [first, second, third].map(({ id }) => itemId('msg', id, 0));
    const wrong = [itemId('fc', third.id, 0), itemId('msg', third.id, 1)];
    expect([...(await other.items(accountReach(accountId), [...wrong, ...names])).keys()].toSorted()).toEqual(
      names.toSorted(),
    );
    const stranger = await newAccount(database);
    expect(await other.items(accountReach(stranger), names)).toEqual(new Map());
    await expect(other.conversation(accountReach(stranger), publicResponseId(third.id))).rejects.toMatchObject({
      status: 400,
    });
    away.away = false;
    await other.close();
    expect(words(await conversation(third))).toEqual(['1', 'one', '2', 'two', '3', 'three']);
  });

  it('is found by the ids of its items', async () => {
    const first = await kept({ said: 'one' });
    const second = givenResponse(accountId, { said: 'two' });
    const call = { id: itemId('fc', second.id, 1), type: 'function_call', name: 'f', arguments: '{}' };
    const output = [...outputOf(second.id, 'two'), call];
    await service.store({ ...second, response: { ...second.response, output } });
    const found = await service.items(accountReach(accountId), [
      call.id,
      itemId('msg', first.id, 0),
      call.id,
      // Not a message, does not exist, and invalid ids.
      itemId('msg', second.id, 1),
      itemId('msg', second.id, 2),
      itemId('msg', newEventIds().eventId, 0),
      'msg_1',
      '',
    ]);
    expect(found).toEqual(
      new Map<string, object>([
        [itemId('msg', first.id, 0), { ...outputOf(first.id, 'one')[0] }],
        [call.id, call],
      ]),
    );
    expect(await service.items(accountReach(accountId), [])).toEqual(new Map());
  });
});
