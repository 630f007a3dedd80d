import { describe, expect, it } from 'vitest';
import { continuedRequest } from '../../../../../src/gateway/capabilities/responses/relay/continued-request.ts';
import { responseNames } from '../../../../../src/services/responses/response-id.ts';
import { newEventIds } from '../../../../../src/gateway/event-id.ts';
import { sealDetails } from '../../../../../src/protocols/responses/encrypted-content/encrypted-reasoning.ts';
import { seal } from '../../../../harness/content-seal.ts';

type Dependencies = Parameters<typeof continuedRequest>[0];
type Key = Parameters<typeof continuedRequest>[1];

const { eventId } = newEventIds();
const previous = responseNames.response(eventId);
const message = { type: 'message', role: 'user', content: 'Before' };

/** @param stores what each target of the model does; null for one of another protocol */
function continued(
  body: string,
  { before = [message], stores = [false] }: { before?: object[]; stores?: (boolean | null)[] } = {},
): ReturnType<typeof continuedRequest> {
  const listed = stores.map((storesResponses) => ({
    upstreamModel: 'm',
    connection: {
      storesResponses: storesResponses ?? true,
      native: () => (storesResponses === null ? null : () => []),
    },
  }));
  const dependencies = {
    pipeline: { dependencies: { router: { resolve: () => ({ listed }) } } },
    names: responseNames,
    earlier: { conversation: async () => before },
    reachOf: async () => ({ accountId: 'account', apiKeyId: null }),
  } as unknown as Dependencies;
  return continuedRequest(dependencies, { accountId: 'account' } as Key, Buffer.from(body), JSON.parse(body));
}

const request = (input: string, id = previous): string =>
  `{"model":"groq/m","previous_response_id":${JSON.stringify(id)},"input":${input},"top_p": 1.0}`;

describe('a request that continues a stored response', () => {
  it.each([
    ['[ {"role":"user","content":"x", "a": 1.0} ]', '{"role":"user","content":"x", "a": 1.0}'],
    ['"x"', '{"type":"message","role":"user","content":"x"}'],
  ])('has the earlier items before its own, and is otherwise what the client wrote: %s', async (input, own) => {
    const { body, previousId } = (await continued(request(input))) ?? {};
    expect(String(body)).toBe(`{"model":"groq/m","input":[${JSON.stringify(message)},${own}],"top_p": 1.0}`);
    expect(previousId).toBe(eventId);
  });

  it('may have no items of its own', async () => {
    const { body } = (await continued(request('[ ]'))) ?? {};
    expect(JSON.parse(String(body)).input).toEqual([message]);
  });

  it('is not relayed with content that only Sluice can decrypt', async () => {
    const encrypted_content = sealDetails([{ type: 'reasoning.text', text: 'Thought', signature: 's' }], seal);
    const before = [message, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content }];
    expect(await continued(request('"x"'), { before })).toBeNull();
    const theirs = [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }];
    expect((await continued(request('"x"'), { before: theirs }))?.value.input).toContainEqual(theirs[0]);
  });

  it.each([
    ['a target stores responses itself', { stores: [false, true] }],
    ['a target has another protocol', { stores: [false, null] }],
  ])('is not relayed where %s', async (_case, options) => {
    expect(await continued(request('"x"'), options)).toBeNull();
  });

  it('is not relayed with references to items, or to a response of a provider', async () => {
    expect(await continued(request('[{"type":"item_reference","id":"msg_1"}]'))).toBeNull();
    expect(await continued(request('"x"', 'resp_of_a_provider'))).toBeNull();
  });
});
