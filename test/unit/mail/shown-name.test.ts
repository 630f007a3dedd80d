import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownName } from '../../../src/mail/shown-name.ts';

describe('user-chosen names in messages to other people', () => {
  it.each([
    ['Ada & Söhne', '“Ada & Söhne”'],
    ['Acme Inc.', '“Acme Inc.”'],
    ['Your password expired: https://evil.example/login', '“Your password expired: https evil example login”'],
    ['mail help@evil.example', '“mail help evil example”'],
    ['two\r\nBcc: them', '“two Bcc: them”'],
    ['quoted” and <b>bold</b>', '“quoted and bbold b”'],
    ['right\u202eto left', '“right to left”'],
    ['x'.repeat(200), `“${'x'.repeat(59)}…”`],
  ])('shows %j as %s', (name, shown) => {
    expect(shownName(name)).toBe(shown);
  });

  it('produces one short line without a link for any input', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 300 }), (name) => {
        const shown = shownName(name);
        expect([...shown].length).toBeLessThanOrEqual(62);
        expect(shown).not.toMatch(/[\n\r\p{Cc}]|:\/\/|\w@\w|\w\.\w/u);
      }),
    );
  });
});
