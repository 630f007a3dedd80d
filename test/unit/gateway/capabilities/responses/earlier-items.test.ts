import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../../src/errors/index.ts';
import { EarlierItems } from '../../../../../src/gateway/capabilities/responses/earlier-items.ts';
import { responseNames } from '../../../../../src/services/responses/response-id.ts';
import { FakeClock } from '../../../../harness/fake-clock.ts';

const said = [{ type: 'message', role: 'user', content: 'Hello' }];
const missing = new SluiceError('previous_response_not_found', { values: { id: 'resp_1' } });

/** The name of a response that was made then. */
function madeAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return responseNames.response(`${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`);
}

const reach = { accountId: 'account', apiKeyId: null };

describe('the conversation before a response', () => {
  it('is read again where its last response was created just now', async () => {
    const clock = new FakeClock();
    let asked = 0;
    const conversation = async (): Promise<object[]> => {
      if (++asked === 1) throw missing;
      return said;
    };
    const earlier = new EarlierItems({ conversation, items: async () => new Map() }, responseNames, clock);
    const previous = madeAt(clock.now() - 59_000);
    const resolving = earlier.resolve(reach, { model: 'm', input: [], previous_response_id: previous });
    await clock.whenPending(1);
    clock.advance(300);
    expect((await resolving).before).toMatchObject(said);
    expect(asked).toBe(2);
  });

  it('is not awaited where its last response is old', async () => {
    const clock = new FakeClock();
    const conversation = (): Promise<object[]> => Promise.reject(missing);
    const earlier = new EarlierItems({ conversation, items: async () => new Map() }, responseNames, clock);
    const previous = madeAt(clock.now() - 60_000);
    await expect(earlier.resolve(reach, { model: 'm', input: [], previous_response_id: previous })).rejects.toBe(
      missing,
    );
  });
});
