import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import {
  buildSecurityTextRouter,
  type SecurityTextOptions,
} from '../../../../src/rest/security/security-text-router.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

let server: Server;

async function get(options: Partial<SecurityTextOptions>): Promise<Response> {
  const clock = new FakeClock(Date.parse('2026-11-24T10:00:00Z'));
  const router = buildSecurityTextRouter({ publicUrl: () => 'https://gateway.example.com', clock, ...options });
  server = createServer(express().use(router)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}/.well-known/security.txt`;
  return fetch(url, { headers: { connection: 'close' } });
}

afterEach(async () => {
  server.close();
  await once(server, 'close');
});

describe('/.well-known/security.txt', () => {
  it('names the configured contact and expires in 180 days', async () => {
    const answer = await get({ contact: 'https://example.com/report' });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toBe(
      'Contact: https://example.com/report\nExpires: 2027-05-23T00:00:00.000Z\nPreferred-Languages: en\n' +
        'Canonical: https://gateway.example.com/.well-known/security.txt\n',
    );
  });

  it('names the security mailbox of the public host if no contact is configured', async () => {
    const answer = await get({});
    expect(await answer.text()).toContain('Contact: mailto:security@gateway.example.com\n');
  });
});
