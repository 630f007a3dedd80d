import { describe, expect, it } from 'vitest';
import {
  contentLevels,
  parseContentLevel,
  resolveContentLevel,
  type ContentLevel,
} from '../../../../src/gateway/content/content-level.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

const redaction = { detectors: [], customPatterns: [] };
const settings = (account: ContentLevel, own: ContentLevel | null, keyMayRaise: boolean) => ({
  account,
  key: own,
  keyMayRaise,
  retentionDays: 30,
  isSearchable: false,
  redaction,
});

describe('the content level of a request', () => {
  it.each<
    [account: ContentLevel, own: ContentLevel | null, mayRaise: boolean, header: ContentLevel | null, ContentLevel]
  >([
    ['off', null, false, null, 'off'],
    ['off', 'full', false, null, 'off'],
    ['off', 'full', true, null, 'full'],
    ['off', null, true, null, 'off'],
    ['off', null, false, 'full', 'off'],
    ['off', null, true, 'full', 'off'],
    ['off', 'full', true, 'metadata', 'metadata'],
    ['metadata', null, false, null, 'metadata'],
    ['metadata', 'full', false, 'full', 'metadata'],
    ['metadata', 'full', true, null, 'full'],
    ['metadata', 'off', false, 'full', 'off'],
    ['metadata', 'off', true, 'full', 'off'],
    ['full', null, false, null, 'full'],
    ['full', null, false, 'off', 'off'],
    ['full', null, false, 'metadata', 'metadata'],
    ['full', 'metadata', false, 'full', 'metadata'],
    ['full', 'metadata', true, 'off', 'off'],
  ])('account %s, key %s (may raise: %s), header %s: %s', (account, own, mayRaise, requested, expected) => {
    const input = { settings: settings(account, own, mayRaise), requested };
    expect(resolveContentLevel({ ...input, hasZeroRetention: false })).toBe(expected);
    expect(resolveContentLevel({ ...input, hasZeroRetention: true })).toBe('off');
  });

  it('is off without settings', () => {
    for (const requested of [null, ...contentLevels])
      expect(resolveContentLevel({ settings: undefined, hasZeroRetention: false, requested })).toBe('off');
  });

  it('is read from text, ignoring case', () => {
    expect(contentLevels.map((level) => parseContentLevel(` ${level.toUpperCase()} `))).toEqual(contentLevels);
    expect(['', 'on', 'full, off', 'none'].map(parseContentLevel)).toEqual([null, null, null, null]);
  });
});

describe('the header x-sluice-log', () => {
  async function post(gateway: TestGateway, path: string, level: string, body: object) {
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'x-sluice-log': level },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  it('is refused with 400 in the protocol of the client, where it is no level', async () => {
    const gateway = await startGateway();
    const messages = [{ role: 'user', content: 'Hello' }];
    const chat = { model: 'sandbox/chat', messages };
    const message = expect.stringContaining('it must be `off`, `metadata` or `full`.') as unknown;
    expect(await post(gateway, '/v1/chat/completions', 'some', chat)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_value', param: 'x-sluice-log', message } },
    });
    expect(await post(gateway, '/v1/messages', 'on', { ...chat, max_tokens: 5 })).toMatchObject({
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error', message } },
    });
    expect(
      await post(gateway, '/v1beta/models/sandbox%2Fchat:generateContent', '', {
        contents: [{ parts: [{ text: 'x' }] }],
      }),
    ).toMatchObject({ status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT', message } } });
    expect(await post(gateway, '/v1/chat/completions', 'Metadata', chat)).toMatchObject({ status: 200 });
    await gateway.close();
  });
});
