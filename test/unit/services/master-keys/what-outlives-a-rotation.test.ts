import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assertRepeated } from '../../../../src/gateway/idempotency/idempotency-errors.ts';
import { Fingerprints } from '../../../../src/gateway/idempotency/fingerprints.ts';
import { SealedAnswers } from '../../../../src/gateway/idempotency/sealed-answers.ts';
import { ContentSeals } from '../../../../src/gateway/reasoning/content-seals.ts';
import { MasterKeys } from '../../../../src/secrets/master-keys.ts';
import { ContentSeal } from '../../../../src/services/content-log/content-seal.ts';
import { AccessTokenSigner } from '../../../../src/services/keys/secrets/access-token.ts';
import { MediaLinks } from '../../../../src/services/media/media-links.ts';

const first = { version: 1, masterKey: 'the first master key of this test' };
const second = { version: 2, masterKey: 'the second master key of this test' };
const before = new MasterKeys([first]);
const pending = new MasterKeys([first, second]);
const active = new MasterKeys([second, first]);
const after = new MasterKeys([second]);
const folder = mkdtempSync(join(tmpdir(), 'sluice-rotation-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What one writes, who reads it, and whether they can. */
const ways = [
  ['a process without rotation', before, 'a process with both', pending, true],
  ['a process with both', pending, 'a process without rotation', before, true],
  ['a process with both', pending, 'a process that encrypts with the new one', active, true],
  ['a process that encrypts with the new one', active, 'a process with both', pending, true],
  ['a process that encrypts with the new one', active, 'a process without the previous one', after, true],
  ['a process with both', pending, 'a process without the previous one', after, false],
] as const;

describe.each(ways)('what %s made', (_writer, writing, _reader, reading, isReadable) => {
  it(`is${isReadable ? '' : ' not'} valid for ${_reader}: encrypted_content, media links, access tokens`, () => {
    const sealed = new ContentSeals(writing).of('account').seal('kind', 'content');
    expect(new ContentSeals(reading).of('account').open('kind', sealed)).toBe(isReadable ? 'content' : null);

    const link = new URL(new MediaLinks(writing).make('https://sluice.example', 'id', new Date(2_000_000)));
    const { expires, signature } = Object.fromEntries(link.searchParams);
    const check = () => new MediaLinks(reading).check('id', expires, signature, new Date(1_000_000));
    if (isReadable) expect(check()).toEqual(new Date(2_000_000));
    else expect(check).toThrow();

    const id = '01234567-89ab-7def-8123-456789abcdef';
    const claims = {
      id,
      keyId: id,
      scopes: new Set(['read'] as const),
      expiresAt: 1,
      secretId: '0123456789abcdef',
      creator: null,
    };
    const token = new AccessTokenSigner(reading).read(new AccessTokenSigner(writing).sign(claims));
    expect(token?.keyId ?? null).toBe(isReadable ? id : null);
  });

  it(`is${isReadable ? '' : ' not'} readable for ${_reader}: logged content`, async () => {
    const owner = { accountId: 'account', eventId: 'event' };
    const { bytes, wrappedKeys } = await new ContentSeal(writing).seal('account', [
      { eventId: 'event', document: Buffer.from('text') },
    ]);
    const opened = new ContentSeal(reading).open({ bytes, wrappedKey: wrappedKeys }, owner);
    expect(opened?.toString() ?? null).toBe(isReadable ? 'text' : null);
  });

  it(`is${isReadable ? '' : ' not'} repeated for ${_reader}: a request with an idempotency key`, async () => {
    const answers = new SealedAnswers(folder, writing);
    await answers.write('account', 'name', { about: '{}', chunks: [Buffer.from('body')] });
    const read = new SealedAnswers(folder, reading).read('account', 'name');
    if (isReadable) expect(Buffer.concat((await read).chunks as Buffer[]).toString()).toBe('body');
    else await expect(read).rejects.toThrow();

    const fingerprint = (masterKeys: MasterKeys, text: string): string =>
      new Fingerprints(masterKeys).of(Buffer.from(text));
    const repeats = (text: string) => () =>
      assertRepeated({ fingerprint: fingerprint(writing, 'request'), state: 'kept' }, fingerprint(reading, text));
    expect(repeats('request')).not.toThrow();
    expect(repeats('another')).toThrow();
  });
});

describe('a key of logged content', () => {
  it('is encrypted again without the content', async () => {
    const owner = { accountId: 'account', eventId: 'second' };
    const { bytes, wrappedKeys, lengths } = await new ContentSeal(before).seal('account', [
      { eventId: 'first', document: Buffer.from('one') },
      { eventId: 'second', document: Buffer.from('two') },
    ]);
    const content = { bytes: bytes.subarray(lengths[0]), wrappedKey: wrappedKeys.subarray(wrappedKeys.length / 2) };
    const rewrapped = new ContentSeal(active).rewrap(content.wrappedKey, owner);
    if (rewrapped === null) throw new Error('The key could not be encrypted again.');
    expect(rewrapped).toHaveLength(content.wrappedKey.length);
    expect(new ContentSeal(after).open({ ...content, wrappedKey: rewrapped }, owner)?.toString()).toBe('two');
    expect(new ContentSeal(before).open({ ...content, wrappedKey: rewrapped }, owner)).toBeNull();
    expect(new ContentSeal(after).rewrap(content.wrappedKey, owner)).toBeNull();
  });
});
