import { describe, expect, it } from 'vitest';
import { ContentBudget } from '../../../../src/gateway/content/content-budget.ts';
import { ContentCapture } from '../../../../src/gateway/content/content-capture.ts';
import type { LoggableCall, RedactedContent } from '../../../../src/gateway/content/content-log.ts';
import { redactedContent } from '../../../../src/gateway/content/logged-document.ts';
import { compileRedaction, type Redactor } from '../../../../src/gateway/content/redaction/redact.ts';
import { detectorNames } from '../../../../src/gateway/content/redaction/rules.ts';
import { searchTextOf } from '../../../../src/gateway/content/search-text.ts';
import { SluiceError } from '../../../../src/errors/index.ts';
import { newEventIds } from '../../../../src/gateway/event-id.ts';

const owner = {
  budget: new ContentBudget(1024 * 1024),
  finished: () => undefined,
  settled: () => undefined,
  dropped: () => undefined,
};
const patterns = [[], ['EMP-[0-9]+'], ['[0-9]{6}'], ['EMP-[0-9]+', 'Jane']];
const texts = ['Say hello.', 'I am bob@example.com.', 'I am EMP-4711.', 'Jane, 123456 "times"\n'];
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })}\n\n`;
/** Each word in a chunk of its own. */
const streamOf = (text: string): string => [...text.split(/(?<= )/).map(chunk), 'data: [DONE]\n\n'].join('');
const documentOf = (content: string): string =>
  JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] });

interface Case {
  readonly redaction: Redactor;
  readonly question: string;
  readonly answer: string;
  readonly isStream: boolean;
  readonly isSearchable: boolean;
  readonly level: 'full' | 'metadata';
  readonly error: SluiceError | null;
}

async function stored({ redaction, question, answer, isStream, isSearchable, level, error }: Case) {
  const policy = { level, redaction, isSearchable };
  const request = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: question }] }));
  const call = { ...newEventIds(), key: { accountId: 'an account' } } as LoggableCall;
  const capture = new ContentCapture(owner, { name: 'chat', protocol: 'chat-completions' }, call, request, policy);
  const bytes = Buffer.from(isStream ? streamOf(answer) : documentOf(answer));
  capture.record((each, type) => each.answer.setContentType(type), isStream ? 'text/event-stream' : 'application/json');
  capture.record((each, given) => each.answer.append(given), bytes);
  capture.error = error;
  capture.finish(true);
  const content = await redactedContent(capture);
  capture.release();
  return content;
}

function parsed(content: RedactedContent | null): unknown {
  return JSON.parse(content?.document.toString() ?? 'null');
}

describe('the content that is stored', () => {
  const cases = patterns.flatMap((own) =>
    [false, true].flatMap((isStream) => [false, true].map((isSearchable) => ({ own, isStream, isSearchable }))),
  );

  it.each(cases)('is that of full redaction, with $own, streamed $isStream, searchable $isSearchable', async (each) => {
    const customPatterns = each.own.map((pattern, at) => ({ name: `own-${at}`, pattern }));
    const redaction = compileRedaction({ detectors: detectorNames, customPatterns });
    // Redacts text by text.
    const full: Redactor = { ...redaction, canBeClean: false, isClean: () => false };
    for (const question of texts)
      for (const answer of texts)
        for (const level of ['full', 'metadata'] as const)
          for (const error of [null, new SluiceError('internal_error')]) {
            const given = { ...each, question, answer, level, error };
            const [fast, slow] = [await stored({ ...given, redaction }), await stored({ ...given, redaction: full })];
            expect(parsed(fast)).toEqual(parsed(slow));
            expect([fast?.redactions, fast?.searchText]).toEqual([slow?.redactions, slow?.searchText]);
            if (each.isSearchable && level === 'full') expect(fast?.searchText).toBe(searchTextOf(parsed(fast)));
          }
  });
});
