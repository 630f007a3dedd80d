import { describe, expect, it } from 'vitest';
import {
  itemId,
  publicResponseId,
  readItemId,
  readResponseId,
} from '../../../../src/services/responses/response-id.ts';
import { newEventIds } from '../../../../src/gateway/event-id.ts';

describe('a response id', () => {
  it('can be parsed', () => {
    const { eventId } = newEventIds();
    const publicId = publicResponseId(eventId);
    expect(publicId).toMatch(/^resp_[0-9a-f]{32}$/);
    expect(readResponseId(publicId)).toBe(eventId);
  });

  it.each([
    '',
    'resp_',
    'resp_none',
    'video_0190163d8694739bb2e3d8f0d1e0a1b2',
    'resp_0190163d8694739bb2e3d8f0d1e0a1b',
    'resp_0190163d8694739bb2e3d8f0d1e0a1b2a',
    'resp_0190163d8694739bb2e3d8f0d1e0a1b2\n',
    'resp_0190163D8694739BB2E3D8F0D1E0A1B2',
    // Another version, and another variant.
    'resp_0190163d8694439bb2e3d8f0d1e0a1b2',
    'resp_0190163d8694739b72e3d8f0d1e0a1b2',
  ])('rejects %j', (text) => {
    expect(readResponseId(text)).toBeNull();
  });
});

describe('an output item id', () => {
  it.each([0, 1, 15, 16, 65_535])('is read back at place %i', (index) => {
    const { eventId: responseId } = newEventIds();
    expect(readItemId(itemId('msg', responseId, index))).toEqual({ responseId, index });
  });

  it('contains four digits of its index', () => {
    const id = '0190163d-8694-739b-b2e3-d8f0d1e0a1b2';
    expect(itemId('fc', id, 26)).toBe('fc_0190163d8694739bb2e3d8f0d1e0a1b2001a');
  });

  it.each([
    '',
    'msg_1',
    'msg_0190163d8694739bb2e3d8f0d1e0a1b2',
    'msg_0190163d8694739bb2e3d8f0d1e0a1b200000',
    '_0190163d8694739bb2e3d8f0d1e0a1b20000',
    'MSG_0190163d8694739bb2e3d8f0d1e0a1b20000',
    'msg_0190163d8694739bb2e3d8f0d1e0a1b2000g',
  ])('rejects %j', (text) => {
    expect(readItemId(text)).toBeNull();
  });
});
