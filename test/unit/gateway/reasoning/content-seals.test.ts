import { describe, expect, it } from 'vitest';
import { ContentSeals } from '../../../../src/gateway/reasoning/content-seals.ts';

const seals = new ContentSeals('a master key of the tests, long enough');
const mine = seals.of('mine');
const content = JSON.stringify([{ text: 'a thought — ∑ 😀', signature: 'S' }]);

describe('content that clients keep', () => {
  it('is decrypted for its account', () => {
    expect(mine.open('a', mine.seal('a', content))).toBe(content);
    expect(mine.open('a', mine.seal('a', ''))).toBe('');
  });

  it('has the same text each time, and shows nothing of the content', () => {
    const sealed = mine.seal('a', content);
    expect(mine.seal('a', content)).toBe(sealed);
    expect(Buffer.from(sealed, 'base64url').includes('thought')).toBe(false);
    expect(sealed).toMatch(/^[\w-]+$/);
  });

  it('has another nonce where the content or the kind differs', () => {
    const nonces = ['a', 'b'].flatMap((kind) =>
      [content, `${content} `].map((text) => mine.seal(kind, text).slice(0, 16)),
    );
    expect(new Set(nonces).size).toBe(4);
  });

  it.each([
    ['another account', seals.of('other').seal('a', content)],
    ['another master key', new ContentSeals('another master key, also long').of('mine').seal('a', content)],
    ['another kind', mine.seal('b', content)],
    ['nobody', ''],
    ['a client that made it up', 'A'.repeat(60)],
  ])('is refused from %s', (_, sealed) => {
    expect(mine.open('a', sealed)).toBeNull();
  });

  it('is refused with any bit changed, and cut', () => {
    const bytes = Buffer.from(mine.seal('a', content), 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(mine.open('a', changed.toString('base64url'))).toBeNull();
      expect(mine.open('a', bytes.subarray(0, at).toString('base64url'))).toBeNull();
    }
  });
});
