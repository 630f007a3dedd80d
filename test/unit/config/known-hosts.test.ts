import { describe, expect, it } from 'vitest';
import { knownHosts } from '../../../src/config/known-hosts.ts';

const isKnownHost = knownHosts({
  HOST: '0.0.0.0',
  SLUICE_PUBLIC_URL: 'https://Gate.example.com:8443',
  SLUICE_ALLOWED_HOSTS: ['gate.internal'],
});

describe('the host names of a server', () => {
  it.each([
    'localhost',
    'LocalHost:4000',
    'localhost.',
    'app.localhost:1',
    '127.0.0.1:4000',
    '192.168.1.10',
    '[::1]:4000',
    'gate.example.com',
    'gate.example.com:4000',
    'gate.internal:80',
  ])('include %s', (host) => {
    expect(isKnownHost(host)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'evil.example:4000',
    'localhost.evil.example',
    'notlocalhost',
    'gate.example.com.evil.example',
    'evil.gate.example.com',
    'evil.example@localhost',
    'localhost:4000:evil.example',
    'localhost/evil.example',
    '127.0.0.1.evil.example',
    '127.1',
  ])('do not include %s', (host) => {
    expect(isKnownHost(host)).toBe(false);
  });
});
