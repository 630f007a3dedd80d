import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Request } from 'express';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderOpenAiError } from '../../../src/errors/index.ts';
import type { FormInput, RequestInput } from '../../../src/gateway/request-input.ts';
import type { FormLimits } from '../../../src/rest/body/form-parts.ts';
import { readForm } from '../../../src/rest/body/read-form.ts';
import { SpooledFile } from '../../../src/rest/files/spooled-file.ts';
import { UploadFolder } from '../../../src/rest/files/upload-folder.ts';
import type { Uploader } from '../../../src/rest/files/upload-space.ts';
import { noFileIn, whenNamesIn } from '../../harness/folder-changes.ts';
import { RawHttp, type RawAnswer } from '../../harness/raw-http.ts';

const MEGABYTE = 1024 * 1024;

const limits: FormLimits = {
  files: ['file', 'image'],
  maxFiles: 3,
  fileBytes: 25 * MEGABYTE,
  maxFields: 5,
  fieldBytes: 1_000,
  longFields: ['picture[url]'],
  longFieldBytes: 2 * MEGABYTE,
  bytes: 26 * MEGABYTE + 500_000,
};

/** Of all uploads together. */
const SPACE = 60 * MEGABYTE;
const CONCURRENCY = 24;

let uploader: Uploader;
let parent: string;
let folder: UploadFolder;
/** Emits `change`. */
let bytesHeld: EventEmitter;
let server: Server;
let url: string;
/** Completely read forms; released by the test. */
let inputs: FormInput[];
/** Number of errors reported to clients. */
let failures: number;

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'sluice-form-'));
  bytesHeld = new EventEmitter();
  folder = new UploadFolder(join(parent, 'uploads'), SPACE, () => bytesHeld.emit('change'));
  inputs = [];
  failures = 0;
  uploader = keyNamed('one');
  const read = readForm(folder, limits);
  server = createServer((incoming, response) => {
    const done = (input: RequestInput): void => {
      if (Buffer.isBuffer(input)) throw new Error('no form');
      inputs.push(input);
      const shown = JSON.stringify(input.fields, (_key, value: unknown) =>
        value instanceof SpooledFile ? { filename: value.filename, type: value.contentType, size: value.size } : value,
      );
      response.writeHead(200, { 'content-length': Buffer.byteLength(shown) }).end(shown);
    };
    // Properties that Express adds to a request are not used.
    read(incoming as Request, uploader, done, (error) => {
      failures++;
      const text = renderOpenAiError(error);
      const headers = { connection: 'close', 'content-length': Buffer.byteLength(text) };
      const wait = error.retryAfterMs === undefined ? [] : [['retry-after', String(error.retryAfterMs / 1_000)]];
      response.writeHead(error.status, { ...headers, ...Object.fromEntries(wait) }).end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  rmSync(parent, { recursive: true, force: true });
});

function keyNamed(id: string, concurrency = CONCURRENCY): Uploader {
  return { id, accountId: `account of ${id}`, limits: { concurrency } };
}

const files = (): string[] => readdirSync(folder.path);

async function noFileLeft(): Promise<void> {
  await noFileIn(folder.path);
}

/** Waits until part of an upload is on disk. */
async function someFile(): Promise<void> {
  await whenNamesIn(folder.path, ({ length }) => length > 0);
}

function part(name: string, value: string, more = ''): string {
  return `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
}

function filePart(name: string, value: string, filename = 'a.wav', type = 'audio/wav'): string {
  return part(name, value, `; filename="${filename}"\r\nContent-Type: ${type}`);
}

function head(length: number | 'chunked', contentType = 'multipart/form-data; boundary=b'): string {
  const size = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  return `POST / HTTP/1.1\r\nhost: test\r\ncontent-type: ${contentType}\r\n${size}\r\n\r\n`;
}

function chunked(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

async function post(body: string, contentType?: string): Promise<RawAnswer> {
  const client = await RawHttp.open(url);
  try {
    client.send(head(Buffer.byteLength(body), contentType) + body);
    return await client.answer();
  } finally {
    client.close();
  }
}

async function refused(body: string, contentType?: string): Promise<{ status: number; code: unknown; param: unknown }> {
  const answer = await post(body, contentType);
  await noFileLeft();
  expect(inputs).toHaveLength(0);
  const { error } = JSON.parse(answer.body);
  return { status: answer.status, code: error.code, param: error.param };
}

describe('a form', () => {
  it('becomes texts, files, lists and objects', async () => {
    const answer = await post(
      [
        part('model', 'whisper-1'),
        filePart('file', 'RIFF', 'speech.wav'),
        part('kinds[]', 'word'),
        filePart('image', 'one', '../../etc/passwd', 'image/png'),
        filePart('image', 'three', 'b.png', 'image/png'),
        part('strategy[type]', 'server_vad'),
        part('strategy[ms]', '300'),
        part('__proto__', 'ä'),
        '--b--\r\n',
      ].join(''),
    );
    expect(answer.status).toBe(200);
    const fields = JSON.parse(answer.body);
    expect(Object.entries(fields)).toEqual([
      ['model', 'whisper-1'],
      ['file', { filename: 'speech.wav', type: 'audio/wav', size: 4 }],
      ['kinds', ['word']],
      [
        'image',
        [
          { filename: 'passwd', type: 'image/png', size: 3 },
          { filename: 'b.png', type: 'image/png', size: 5 },
        ],
      ],
      ['strategy', { type: 'server_vad', ms: '300' }],
      ['__proto__', 'ä'],
    ]);
    // 'whisper-1', 'word', 'server_vad', '300' and 'ä'.
    expect(inputs[0]?.textBytes).toBe(9 + 4 + 10 + 3 + 2);
  });

  it('stores its files, readable only by their owner, until it is released', async () => {
    const body = 'x'.repeat(300_000);
    await post(`${filePart('file', body)}--b--\r\n`);
    const [name = ''] = files();
    expect(statSync(join(folder.path, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    const file = inputs[0]?.fields.file;
    if (!(file instanceof SpooledFile)) throw new Error('no file');
    for (const again of ['once', 'twice']) {
      let read = 0;
      for await (const chunk of file.open()) read += Buffer.byteLength(chunk);
      expect([again, read]).toEqual([again, 300_000]);
    }
    expect((await file.read()).toString()).toBe(body);
    inputs[0]?.release();
    inputs[0]?.release();
    await noFileLeft();
  });

  it('can be read completely by who opened its file before it was released', async () => {
    const body = 'x'.repeat(200_000);
    for (let round = 0; round < 50; round += 1) {
      await post(`${filePart('file', body)}--b--\r\n`);
      const file = inputs.at(-1)?.fields.file;
      if (!(file instanceof SpooledFile)) throw new Error('no file');
      const streams = Array.from({ length: 8 }, () => file.open());
      inputs.at(-1)?.release();
      const read = await Promise.all(streams.map((stream) => buffer(stream)));
      expect(read.map(({ length }) => length)).toEqual(streams.map(() => body.length));
    }
    await noFileLeft();
  });

  it('may arrive byte by byte', async () => {
    const client = await RawHttp.open(url);
    client.send(head('chunked'));
    for (const byte of `${part('model', 'm')}${filePart('file', 'RI\r\n--cFF')}--b--\r\n`) {
      client.send(chunked(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.send('0\r\n\r\n');
    const answer = await client.answer();
    expect(JSON.parse(answer.body)).toEqual({ model: 'm', file: { filename: 'a.wav', type: 'audio/wav', size: 9 } });
    client.close();
  });

  it('may be as large as its limits', async () => {
    const body = `${filePart('file', 'x'.repeat(25 * MEGABYTE))}--b--\r\n`;
    const answer = await post(body);
    expect(JSON.parse(answer.body)).toMatchObject({ file: { size: 25 * MEGABYTE } });
  });

  it('may contain one text field that is longer than the others', async () => {
    const long = 'ä'.repeat(50_000);
    const answer = await post(`${part('model', 'm')}${part('picture[url]', long)}${filePart('file', 'x')}--b--\r\n`);
    expect(JSON.parse(answer.body)).toEqual({
      model: 'm',
      picture: { url: long },
      file: { filename: 'a.wav', type: 'audio/wav', size: 1 },
    });
    expect(inputs[0]?.textBytes).toBe(1 + 100_000);
    // An empty file is a file.
    expect(JSON.parse((await post(`${part('picture[url]', '')}--b--\r\n`)).body)).toEqual({ picture: { url: '' } });
    // Byte by byte, which splits characters.
    const client = await RawHttp.open(url);
    const body = Buffer.from(`${part('picture[url]', 'äöü €')}--b--\r\n`).toString('latin1');
    client.send(head('chunked'));
    for (const byte of body)
      client.sendBytes(Buffer.concat([Buffer.from('1\r\n'), Buffer.from(byte, 'latin1'), Buffer.from('\r\n')]));
    client.send('0\r\n\r\n');
    expect(JSON.parse((await client.answer()).body)).toEqual({ picture: { url: 'äöü €' } });
    client.close();
  });

  it('leaves its connection open for the next one', async () => {
    const client = await RawHttp.open(url);
    for (const model of ['a', 'b']) {
      const body = `${part('model', model)}--b--\r\n`;
      client.send(head(body.length) + body);
      expect(JSON.parse((await client.answer()).body)).toEqual({ model });
    }
    client.close();
  });
});

describe('a form is refused', () => {
  it.each([
    ['that is JSON', '{}', 'application/json', 415, 'unsupported_content_type'],
    ['that is of no type', '{}', '', 415, 'unsupported_content_type'],
    ['without a boundary', '--b--\r\n', 'multipart/form-data', 400, 'invalid_form'],
    ['with an empty boundary', '--b--\r\n', 'multipart/form-data; boundary=""', 400, 'invalid_form'],
    [
      'with another boundary',
      `${filePart('file', 'x')}--b--\r\n`,
      'multipart/form-data; boundary=c',
      400,
      'invalid_form',
    ],
    ['without an end', filePart('file', 'x'), undefined, 400, 'invalid_form'],
    ['that ends within its headers', '--b\r\nContent-Dispo', undefined, 400, 'invalid_form'],
    ['that is no form at all', '\0\u0001garbage'.repeat(1_000), undefined, 400, 'invalid_form'],
    [
      'with a part without a name',
      '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n',
      undefined,
      400,
      'invalid_form',
    ],
    ['with a name without an end', `${part('n'.repeat(300), 'x')}--b--\r\n`, undefined, 400, 'invalid_form'],
    [
      'with a value and members of it',
      `${part('a', 'x')}${part('a[b]', 'y')}--b--\r\n`,
      undefined,
      400,
      'invalid_form',
    ],
  ])('%s', async (_what, body, contentType, status, code) => {
    expect(await refused(body, contentType)).toEqual({ status, code, param: null });
  });

  it.each([
    ['a file where none belongs', `${filePart('audio', 'x')}--b--\r\n`, 400, 'unexpected_file', 'audio'],
    ['too long a text', `${part('prompt', 'x'.repeat(1_001))}--b--\r\n`, 413, 'field_too_large', 'prompt'],
    ['too many fields', `${part('a[]', 'x').repeat(6)}--b--\r\n`, 400, 'too_many_fields', null],
    ['too many files', `${filePart('image[]', 'x').repeat(4)}--b--\r\n`, 400, 'too_many_files', 'image[]'],
    [
      'too long a text in place of a long one',
      `${part('picture[file]', 'x'.repeat(1_001))}--b--\r\n`,
      413,
      'field_too_large',
      'picture[file]',
    ],
    [
      'too long a long text',
      `${part('picture[url]', 'x'.repeat(2 * MEGABYTE + 1))}--b--\r\n`,
      413,
      'field_too_large',
      'picture[url]',
    ],
    ['a long text twice', `${part('picture[url]', 'x').repeat(2)}--b--\r\n`, 400, 'invalid_form', null],
    ['a long text as a file', `${filePart('picture[url]', 'x')}--b--\r\n`, 400, 'unexpected_file', 'picture[url]'],
    ['a long text without an end', part('picture[url]', 'x'.repeat(MEGABYTE)), 400, 'invalid_form', null],
    [
      'too many files beside a long text',
      `${part('picture[url]', 'x')}${filePart('image[]', 'x').repeat(4)}--b--\r\n`,
      400,
      'too_many_files',
      'image[]',
    ],
    ['26 MB', `${filePart('file', 'x'.repeat(26 * MEGABYTE))}--b--\r\n`, 413, 'file_too_large', 'file'],
    ['more than all may have', filePart('file', 'x'.repeat(27 * MEGABYTE)), 413, 'request_too_large', null],
  ])('with %s', async (_what, body, status, code, param) => {
    expect(await refused(body)).toEqual({ status, code, param });
  });

  it('with more bytes than the limit, without a content length', async () => {
    const client = await RawHttp.open(url);
    client.send(head('chunked'));
    const image = filePart('image[]', 'x'.repeat(10 * MEGABYTE));
    for (let sent = 0; sent < 3; sent++) client.send(chunked(image));
    client.send(`${chunked('--b--\r\n')}0\r\n\r\n`);
    expect(await client.answer()).toMatchObject({ status: 413 });
    await noFileLeft();
    client.close();
  });

  it('compressed', async () => {
    const client = await RawHttp.open(url);
    client.send(head(0).replace('\r\n\r\n', '\r\ncontent-encoding: gzip\r\n\r\n'));
    expect(await client.answer()).toMatchObject({ status: 415 });
    client.close();
  });

  it('before its end, if the client waits for the response', async () => {
    const client = await RawHttp.open(url);
    client.send(`${head(20 * MEGABYTE)}${filePart('audio', 'x'.repeat(100_000))}`);
    expect(await client.answer()).toMatchObject({ status: 400 });
    await client.rest();
    await noFileLeft();
  });

  it('with a nested form, whose parts are text', async () => {
    const inner = '--i\r\nContent-Disposition: file; filename="x"\r\n\r\nx\r\n--i--';
    const nested = part('file', inner, '\r\nContent-Type: multipart/mixed; boundary=i');
    const answer = await post(`${part('model', nested.replaceAll('--b', '--c'))}--b--\r\n`);
    expect(answer.status).toBe(200);
    expect(files()).toEqual([]);
  });
});

describe('a client that disconnects', () => {
  it.each([
    ['with a length', head(20 * MEGABYTE), filePart('file', 'x'.repeat(200_000))],
    ['in chunks', head('chunked'), chunked(filePart('file', 'x'.repeat(200_000)))],
  ])('during an upload %s leaves no files', async (_how, start, body) => {
    const client = await RawHttp.open(url);
    client.send(start + body);
    await someFile();
    client.close();
    await noFileLeft();
    expect([inputs.length, failures]).toEqual([0, 0]);
  });

  it('concurrently with many others leaves no files', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => RawHttp.open(url)));
    for (const client of clients) client.send(head(MEGABYTE) + filePart('file', 'x'.repeat(80_000)));
    await someFile();
    for (const client of clients) client.close();
    // The server has processed all of them when it has responded to a later one.
    await post(`${part('model', 'm')}--b--\r\n`);
    await noFileLeft();
    expect(failures).toBe(0);
  });
});

/** Waits until `holds` is true for the bytes of all uploads. */
async function whenBytes(holds: (bytes: number) => boolean): Promise<void> {
  while (!holds(folder.space.bytes)) await once(bytesHeld, 'change');
}

const noByteHeld = (): Promise<void> => whenBytes((bytes) => bytes === 0);

describe('concurrent uploads', () => {
  const whole = (megabytes: number): string => `${filePart('file', 'x'.repeat(megabytes * MEGABYTE))}--b--\r\n`;

  it('are limited in total size over all keys, and completed ones free their space', async () => {
    for (const key of ['one', 'two']) {
      uploader = keyNamed(key);
      expect((await post(whole(20))).status).toBe(200);
    }
    expect(folder.space.bytes).toBeGreaterThan(40 * MEGABYTE);
    uploader = keyNamed('three');
    const refusedOne = await post(whole(20));
    expect(refusedOne).toMatchObject({ status: 503 });
    expect(refusedOne.headers.get('retry-after')).toBe('5');
    expect(JSON.parse(refusedOne.body)).toMatchObject({ error: { code: 'uploads_full', type: 'service_unavailable' } });
    expect(files()).toHaveLength(2);
    // There is space for smaller uploads.
    expect((await post(whole(19))).status).toBe(200);
    for (const input of inputs) input.release();
    await noByteHeld();
    expect(files()).toEqual([]);
    expect((await post(whole(20))).status).toBe(200);
  });

  it('are limited without a content length', async () => {
    const clients = await Promise.all([0, 1, 2].map(() => RawHttp.open(url)));
    for (const client of clients) {
      client.send(head('chunked'));
      client.send(chunked(`${filePart('file', 'x'.repeat(19 * MEGABYTE)).slice(0, -2)}`));
    }
    await whenBytes((bytes) => bytes >= 57 * MEGABYTE);
    const [first, second, third] = clients;
    third?.send(chunked('x'.repeat(4 * MEGABYTE)));
    expect(await third?.answer()).toMatchObject({ status: 503 });
    // The others continue, one of them in the space freed by the third.
    const rest = chunked(`${'x'.repeat(3 * MEGABYTE)}\r\n--b--\r\n`);
    for (const client of [first, second]) {
      client?.send(`${rest}0\r\n\r\n`);
      expect(await client?.answer()).toMatchObject({ status: 200 });
    }
    for (const input of inputs) input.release();
    await noByteHeld();
    await noFileLeft();
    for (const client of clients) client.close();
  });

  it('are limited per key by its concurrency limit', async () => {
    uploader = keyNamed('two at once', 2);
    const slow = await Promise.all([0, 1].map(() => RawHttp.open(url)));
    for (const client of slow) client.send(head(MEGABYTE) + filePart('file', 'x'.repeat(1_000)));
    await whenNamesIn(folder.path, ({ length }) => length === 2);
    const third = await post(whole(1));
    expect(third).toMatchObject({ status: 429 });
    expect(third.headers.get('retry-after')).toBe('1');
    expect(JSON.parse(third.body)).toMatchObject({
      error: { code: 'rate_limit_exceeded', message: expect.stringContaining('Limit 2, Used 2, Requested 1') },
    });
    expect(files()).toHaveLength(2);
    // Another key has its own limit.
    const before = uploader;
    uploader = keyNamed('another');
    expect((await post(whole(1))).status).toBe(200);
    inputs[0]?.release();
    // Aborted and completed uploads no longer count.
    uploader = before;
    for (const client of slow) client.close();
    await noFileLeft();
    for (let at = 0; at < 5; at++) {
      expect((await post(whole(1))).status).toBe(200);
      inputs.at(-1)?.release();
    }
    await noByteHeld();
  });

  it('are no longer counted after they end in any way', async () => {
    const bodies = [
      '\0garbage',
      filePart('file', 'x'.repeat(100_000)),
      `${filePart('audio', 'x'.repeat(100_000))}--b--\r\n`,
      `${part('prompt', 'x'.repeat(1_001))}--b--\r\n`,
      `${filePart('file', 'x'.repeat(26 * MEGABYTE))}--b--\r\n`,
      `${filePart('image[]', 'x').repeat(4)}--b--\r\n`,
    ];
    uploader = keyNamed('one at a time', 1);
    for (const body of bodies) expect((await post(body)).status).toBeGreaterThanOrEqual(400);
    // A file of theirs is not taken for that of the next one.
    await noByteHeld();
    const client = await RawHttp.open(url);
    client.send(head(20 * MEGABYTE) + filePart('file', 'x'.repeat(200_000)));
    await someFile();
    client.close();
    await noFileLeft();
    await noByteHeld();
    expect((await post(whole(1))).status).toBe(200);
  });
});

describe('the upload folder', () => {
  it('is emptied at the start and deleted at the end', () => {
    const path = join(parent, 'left');
    mkdirSync(path);
    writeFileSync(join(path, 'old'), 'x');
    const opened = new UploadFolder(path, SPACE);
    expect(readdirSync(path)).toEqual([]);
    writeFileSync(opened.newPath(), 'x');
    opened.close();
    expect(existsSync(path)).toBe(false);
  });
});
