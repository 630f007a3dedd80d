import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { SecretDigests } from '../../../../src/services/keys/secrets/secret-digests.ts';

it('returns the SHA-256 of each secret, whatever the connection sent before', () => {
  const connections = [undefined, {}, {}];
  const digests = new SecretDigests();
  // Few and alike, so that the same one comes again, and one that differs in its last character.
  const secret = fc.stringMatching(/^sk-(same|other|long-secret-)[ab]$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(secret, fc.constantFrom(...connections)), { maxLength: 30 }), (sent) => {
      for (const [each, connection] of sent)
        expect(digests.of(each, connection)).toBe(createHash('sha256').update(each).digest('binary'));
    }),
  );
});
