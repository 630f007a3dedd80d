import os from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import { isPublicAddress } from '../../../src/outbound/public-address.ts';

const guard = new OutboundGuard([]);

describe('an address that is not public', () => {
  it.each(
    [
      // IPv4, by IANA's registry of special purposes
      ['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
      ['127.0.0.1', '127.1.2.3', '168.63.129.16', '169.254.0.1', '169.254.169.254', '169.254.170.2'],
      ['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.192', '192.0.2.7', '192.88.99.1', '192.168.1.1'],
      ['198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.9', '224.0.0.1', '239.255.255.250'],
      ['240.0.0.1', '255.255.255.255'],
      // IPv6
      ['::', '::1', '::2', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1', 'fc00::1', 'fd00:ec2::254', 'fd20:ce::254'],
      ['ff02::1', 'ff0e::1', '100::1', '2001:db8::1', '3fff::1', '5f00::1', '2001:2::1', '2001:10::1', '2001:20::1'],
      // IPv6 that embeds IPv4
      ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:169.254.169.254', '::ffff:10.0.0.1', '0:0:0:0:0:ffff:c0a8:101'],
      ['::127.0.0.1', '::7f00:1', '::a9fe:a9fe', '::8.8.8.8', '::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
      ['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1', '64:ff9b:1::8.8.8.8', '64:ff9b:1::7f00:1'],
      ['2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:c0a8:101::', '2001:0:53aa:64c:0:fbf8:80ff:fffe', '2001:0:7f00:1::'],
      ['2a00:1450:4001:82a:0:5efe:7f00:1', '2a00:1450:4001:82a:200:5efe:a00:1'],
      // Not addresses, or in a notation that sockets do not use
      ['', 'localhost', '127.1', '0177.0.0.1', '0x7f.0.0.1', '2130706433', '8.8.8.8.', ' 8.8.8.8', '8.8.8', '[::1]'],
    ].flat(),
  )('%s is refused', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(
    [
      ['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
      ['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255'],
      ['192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '168.63.129.15'],
      ['2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '2001:4860:4860::8888', '2400::1', '2003::1'],
      ['::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8', '64:ff9b::808:808', '2a00:1450::5efe:808:808'],
    ].flat(),
  )('%s is not one', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('a URL of this server', () => {
  const own = new OutboundGuard(['own.example.com:8443'], ['own.example.com']);

  it.each(['https://own.example.com/v1', 'https://OWN.example.com:4000', 'http://own.example.com:80/x'])(
    '%s is refused by its name',
    (url) => {
      expect(() => own.checkUrl(url)).toThrow('of this server');
    },
  );

  it('is allowed if the operator exempts it', () => {
    expect(() => own.checkUrl('https://own.example.com:8443/v1')).not.toThrow();
    expect(() => own.checkUrl('https://another.example.com/v1')).not.toThrow();
  });

  it('is refused by a public address of its own interfaces', () => {
    const interfaces = vi.spyOn(os, 'networkInterfaces');
    const base = { netmask: '255.255.255.0', mac: '00:00:00:00:00:00', internal: false, cidr: null };
    interfaces.mockReturnValue({ eth0: [{ ...base, family: 'IPv4', address: '9.9.9.9' }] });
    expect(() => own.checkUrl('http://9.9.9.9:4000/v1')).toThrow('of this server');
    expect(() => own.checkAddresses('alias.example.com', ['9.9.9.9'])).toThrow('not public');
    expect(() => own.checkUrl('http://9.9.9.8:4000/v1')).not.toThrow();
    interfaces.mockRestore();
  });
});

describe('an untrusted URL', () => {
  it.each(
    [
      // Loopback and private addresses, in all notations that URL parsers accept
      ['http://127.0.0.1/v1', 'http://127.1', 'http://0177.0.0.1', 'http://0x7f.0.0.1', 'http://0x7f000001'],
      [
        'http://2130706433',
        'http://017700000001',
        'http://127.0.0.1.',
        'http://127.0.0.1:8080',
        'https://0',
        'http://0.0.0.0',
      ],
      ['http://0xA9FEA9FE/latest/meta-data', 'http://2852039166', 'http://169.254.43518', 'http://169.254.169.254'],
      ['http://10.1.2.3', 'http://192.168.0.1', 'http://172.20.0.1', 'http://100.64.0.1'],
      [
        'http://[::1]',
        'http://[::]',
        'http://[0:0:0:0:0:0:0:1]',
        'http://[::ffff:127.0.0.1]',
        'http://[::ffff:7f00:1]',
      ],
      [
        'http://[fd00:ec2::254]',
        'http://[fe80::1]',
        'http://[fe80::1%25eth0]',
        'http://[fe80::1%eth0]',
        'http://[::127.0.0.1]',
      ],
      ['http://[64:ff9b::7f00:1]', 'http://[2002:7f00:1::]', 'http://[::1]:11434/v1', 'http://[::1'],
      // Public addresses in unusual notations, which parsers read differently
      ['http://0x8.8.8.8', 'http://134744072', 'http://010.8.8.8', 'http://8.8.8.8.', 'http://8.526344'],
      // Percent-encoding, Unicode
      ['http://%31%32%37.0.0.1', 'http://127%2e0.0.1', 'http://localhos%74', 'http://１２７.0.0.1', 'http://①②⑦.0.0.1'],
      [
        'http://127。0。0。1',
        'http://loc\u00ADalhost',
        'http://ｌｏｃａｌｈｏｓｔ',
        'http://127.0.0\u200B.1',
        'http://[::１]',
      ],
      // User names, backslashes, white space, control characters
      [
        'http://example.com@127.0.0.1',
        'http://user:pass@example.com',
        'http://@example.com',
        'http://example.com:80@127.0.0.1',
      ],
      ['http://example.com\\@127.0.0.1', 'http:\\\\127.0.0.1', 'http://127.0.0.1\\.example.com', ' http://example.com'],
      [
        'http://exam\tple.com',
        'http://example.com\n',
        'http://example.com\u0000',
        'http://example.com/a b',
        'http://example.com\r\nHost: x',
      ],
      // Names of this machine or its network
      ['http://localhost', 'http://LOCALHOST:4000', 'http://a.localhost', 'http://localhost.', 'http://printer.local'],
      ['http://metadata.google.internal', 'http://redis:6379', 'http://nas.home.arpa', 'http://localhost.localdomain'],
      ['http://example.com.', 'http://metadata'],
      // Other schemes, and texts that are not URLs
      [
        'ftp://example.com',
        'file:///etc/passwd',
        'gopher://example.com',
        'data:text/plain,x',
        'javascript:alert(1)',
        'ws://example.com',
      ],
      [
        'http:example.com',
        'http:/example.com',
        'http:///example.com',
        '//example.com',
        'example.com',
        '',
        'http://',
        'https://?x',
      ],
      [
        'http://example.com:99999',
        'http://example.com:-1',
        'http://exa mple.com',
        'http://1.2.3.4.5',
        'unix:/var/run/docker.sock',
      ],
      `https://example.com/${'x'.repeat(2_100)}`,
    ].flat(),
  )('%j is refused', (text) => {
    expect(() => guard.checkUrl(text, 'baseUrl')).toThrow(
      expect.objectContaining({ code: 'outbound_refused', status: 400, param: 'baseUrl' }),
    );
  });

  it.each([
    ['https://api.openai.com/v1', 'https://api.openai.com/v1'],
    ['HTTPS://API.Example.COM:8443/v1?a=b', 'https://api.example.com:8443/v1?a=b'],
    ['http://8.8.8.8', 'http://8.8.8.8/'],
    ['http://8.8.8.8:1/', 'http://8.8.8.8:1/'],
    ['https://[2606:4700:4700:0:0:0:0:1111]/v1', 'https://[2606:4700:4700::1111]/v1'],
    ['https://münchen.example.de/v1', 'https://xn--mnchen-3ya.example.de/v1'],
    ['https://localhost.example.com', 'https://localhost.example.com/'],
    ['https://example.com/%20/@/x', 'https://example.com/%20/@/x'],
    ['https://example.com:443', 'https://example.com/'],
  ])('%s is allowed', (text, href) => {
    expect(guard.checkUrl(text).href).toBe(href);
  });
});

describe('a refusal', () => {
  it.each([
    ['http://127.0.0.1:8080/v1', 'SLUICE_OUTBOUND_ALLOW=127.0.0.1:8080.'],
    ['http://[::1]:11434', 'SLUICE_OUTBOUND_ALLOW=[::1]:11434.'],
    ['https://vault.internal', 'SLUICE_OUTBOUND_ALLOW=vault.internal:443.'],
  ])('of %s explains how the operator can allow it', (text, told) => {
    expect(() => guard.checkUrl(text)).toThrow(`The operator can allow it with ${told}`);
    const allow = told.slice(told.indexOf('=') + 1, -1);
    expect(() => new OutboundGuard([allow]).checkUrl(text)).not.toThrow();
  });

  it('of a URL that cannot be allowed has no hint', () => {
    for (const text of ['ftp://127.0.0.1', 'http://user@127.0.0.1:8080', 'http://0x7f.1'])
      expect(() => guard.checkUrl(text)).not.toThrow('SLUICE_OUTBOUND_ALLOW');
  });

  it('of a name that resolves to a private address has the hint too', () => {
    expect(() => guard.checkAddresses('models.example.com', ['10.0.0.1'])).toThrow(
      'SLUICE_OUTBOUND_ALLOW=models.example.com:port.',
    );
  });
});

describe('destinations that the operator allows', () => {
  const open = new OutboundGuard(['127.0.0.1:8080', '[::1]:11434', 'Ollama:11434', 'vault.internal:443']);

  it.each([
    'http://127.0.0.1:8080/v1',
    'http://[::1]:11434',
    'http://[0:0:0:0:0:0:0:1]:11434/v1',
    'http://ollama:11434/v1',
    'https://vault.internal',
  ])('%s is allowed', (text) => {
    expect(guard.checkUrl.bind(open, text)).not.toThrow();
  });

  it.each([
    'http://127.0.0.1:8081',
    'http://127.0.0.1',
    'http://127.0.0.2:8080',
    'http://[::1]:11435',
    'http://[::ffff:127.0.0.1]:8080',
    'http://0x7f.1:8080',
    'http://user@127.0.0.1:8080',
    'http://vault.internal',
    'http://a.vault.internal:443',
  ])('%s is refused', (text) => {
    expect(() => open.checkUrl(text)).toThrow(expect.objectContaining({ code: 'outbound_refused' }));
  });
});
