import { describe, expect, it } from 'vitest';
import { ContentBudget } from '../../../../src/gateway/content/content-budget.ts';
import { ContentCapture } from '../../../../src/gateway/content/content-capture.ts';
import type { ContentPolicy, LoggableCall } from '../../../../src/gateway/content/content-log.ts';
import { redactedContent } from '../../../../src/gateway/content/logged-document.ts';
import { ContentPacker, type PackedContent } from '../../../../src/gateway/content/queue/packed-content.ts';
import { compileRedaction } from '../../../../src/gateway/content/redaction/redact.ts';
import { detectorNames } from '../../../../src/gateway/content/redaction/rules.ts';
import { SluiceError } from '../../../../src/errors/index.ts';
import { newEventIds } from '../../../../src/gateway/event-id.ts';

const redaction = compileRedaction({ detectors: detectorNames, customPatterns: [] });
const full: ContentPolicy = { level: 'full', redaction, isSearchable: false };
const question = '{"model":"a-model","messages":[{"role":"user","content":"Say hello."}]}';
const answer = '{"object":"chat.completion","choices":[{"message":{"content":"Hello!"}}]}';

interface CaptureOptions {
  readonly request: string;
  readonly response: string;
  readonly contentType: string;
  readonly policy: ContentPolicy;
  readonly accountId: string;
  /** Of the response. */
  readonly pieces: number;
  /** Whether the response ends as it should. */
  readonly isEnded: boolean;
}

function documentOf(packed: PackedContent | null): Buffer {
  const content = packed?.unchanged();
  if (!content) throw new Error('Nothing was packed that redaction leaves unchanged.');
  return content.document;
}

function start(budget = new ContentBudget(1024 * 1024)) {
  const packer = new ContentPacker();
  const owner = { budget, finished: () => undefined, settled: () => undefined, dropped: () => undefined };
  const capture = (changes: Partial<CaptureOptions> = {}): ContentCapture => {
    const body = { request: question, response: answer, contentType: 'application/json', pieces: 1, isEnded: true };
    const options: CaptureOptions = { ...body, policy: full, accountId: 'an account', ...changes };
    const { request, response, contentType, policy, accountId, pieces, isEnded } = options;
    const call = { ...newEventIds(), key: { accountId } } as LoggableCall;
    const made = new ContentCapture(
      owner,
      { name: 'chat', protocol: 'chat-completions' },
      call,
      Buffer.from(request),
      policy,
    );
    const bytes = Buffer.from(response);
    const size = Math.ceil(bytes.length / pieces);
    made.record(({ answer: recorded }, type) => recorded.setContentType(type), contentType);
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size);
      const isLast = at + size >= bytes.length;
      made.record(
        ({ answer: recorded }, given) => (isLast ? recorded.appendLast(given) : recorded.append(given)),
        piece,
      );
    }
    made.finish(isEnded);
    return made;
  };
  return { packer, budget, capture };
}

describe('packed content', () => {
  it.each([1, 2, 7])('is what is stored of a capture, of a response in %i pieces', async (pieces) => {
    const { packer, capture } = start();
    const stored = await redactedContent(capture({ pieces }));
    const packed = packer.pack(capture({ pieces }));
    expect(documentOf(packed).toString()).toBe(
      `{"request":${question},"response":${answer},"error":null,"isComplete":true}`,
    );
    expect(packed?.unchanged()).toEqual(stored);
    expect(await packed?.redacted()).toEqual(stored);
  });

  it.each([
    ['has a finding in the request', { request: '{"text":"I am bob@example.com"}' }],
    ['has a finding in the response', { response: '{"text":"Call +49 30 1234567"}' }],
    ['has a request that is not JSON', { request: '{"text":' }],
    ['has a response that is not JSON', { response: '{"text":"a"' }],
    ['has a response that would be another member of the document', { response: '{},"error":{"code":"none"}' }],
    ['was interrupted', { isEnded: false, response: '{"text":"I am bob@example.com"}' }],
  ])('is redacted when it is stored, as a capture is, where it %s', async (_case, changes) => {
    const { packer, capture } = start();
    const stored = await redactedContent(capture(changes));
    const packed = packer.pack(capture(changes));
    expect(packed?.unchanged()).toBeNull();
    const redacted = await packed?.redacted();
    expect(redacted).toEqual(stored);
    expect(redacted?.document.toString()).not.toMatch(/bob@example|1234567/);
    packed?.own();
    expect(await packed?.redacted()).toEqual(stored);
  });

  it('releases the capture, and has memory of its own until it is released', () => {
    const { packer, budget, capture } = start();
    const captured = capture();
    const before = budget.used;
    const packed = packer.pack(captured);
    expect(captured.request).toBeNull();
    expect(budget.used).toBe(packed?.size);
    expect(budget.used).toBeLessThan(before);
    packed?.release();
    expect(budget.used).toBe(0);
  });

  it('has its memory where another account uses all that is left', () => {
    const limit = 48 * 1024;
    const { packer, budget, capture } = start(new ContentBudget(limit));
    const response = JSON.stringify({ text: 'word '.repeat(1_000) });
    const captured = Array.from({ length: 4 }, () => capture({ response }));
    const other = budget.shareOf('another');
    let taken = 0;
    while (other.take(1)) taken++;
    // More than three times of what is free: the account could take no more now.
    expect(captured.reduce((sum, { size }) => sum + size, 0)).toBeGreaterThan(3 * (limit - budget.used));
    const packed = captured.map((each) => {
      const content = packer.pack(each);
      while (other.take(1)) taken++;
      return content;
    });
    const size = packed.reduce((sum, each) => sum + (each?.size ?? 0), 0);
    expect(size).toBeGreaterThan(4 * response.length);
    expect(budget.used).toBe(taken + size);
    for (const each of packed) each?.release();
    expect(budget.used).toBe(taken);
    other.free(taken);
    expect(budget.used).toBe(0);
  });

  it('is copied out of the chunk that it shares with others', () => {
    const { packer, budget, capture } = start();
    const packed = [packer.pack(capture()), packer.pack(capture({ response: '{"text":"another"}' }))];
    const [first, second] = packed;
    if (!first || !second) throw new Error('Nothing was packed.');
    expect(documentOf(first).buffer).toBe(documentOf(second).buffer);
    const [before, used] = [Buffer.from(documentOf(second)), budget.used];
    second.own();
    expect(documentOf(second)).toEqual(before);
    expect(documentOf(second).buffer.byteLength).toBe(before.length);
    const { buffer } = documentOf(second);
    second.own();
    expect(documentOf(second).buffer).toBe(buffer);
    expect(budget.used).toBe(used);
    for (const each of packed) each?.release();
    expect(budget.used).toBe(0);
  });

  it('does not mix contents, of which many are in one chunk', () => {
    const { packer, capture } = start();
    const answers = Array.from({ length: 300 }, (_, at) => JSON.stringify({ text: `answer ${at} `.repeat(at % 90) }));
    const packed = answers.map((response) => packer.pack(capture({ response })));
    for (const [at, response] of answers.entries())
      expect(JSON.parse(documentOf(packed[at] ?? null).toString())).toMatchObject({ response: JSON.parse(response) });
  });

  it.each<[string, Partial<CaptureOptions>]>([
    ['whose response is a list', { response: '[1]' }],
    ['whose response is a stream', { contentType: 'text/event-stream', response: '{}' }],
    ['whose response is media', { contentType: 'audio/mpeg', response: '{}' }],
    ['that is long', { request: JSON.stringify({ text: 'word '.repeat(4_000) }) }],
    ['that can be searched', { policy: { ...full, isSearchable: true } }],
    ['of which only the shape is stored', { policy: { ...full, level: 'metadata' } }],
  ])('is none of a request %s', (_case, changes) => {
    const { packer, capture } = start();
    const captured = capture(changes);
    expect(packer.pack(captured)).toBeNull();
    expect(captured.request).not.toBeNull();
  });

  it('is none of a request that failed', () => {
    const { packer, capture } = start();
    const captured = capture();
    captured.error = new SluiceError('internal_error');
    expect(packer.pack(captured)).toBeNull();
  });
});
