import { describe, expect, it } from 'vitest';
import { selectRows, shortened } from '../../bench/rows.ts';
import { textKinds, textOf } from '../../bench/realistic/texts.ts';

describe('rows of the benchmark', () => {
  it('are those of the first report where none are named', () => {
    const { rows, memory, report } = selectRows();
    expect(rows.map(({ name }) => name)).toEqual([
      'small',
      'stream',
      'large',
      'translated',
      'responses',
      'messages',
      'gemini',
    ]);
    expect({ memory, report }).toEqual({ memory: true, report: 'RESULTS.md' });
  });

  it('are selected by name and by group, each once', () => {
    const { rows, memory, report } = selectRows('agents,agent,small,prompts');
    expect(rows).toHaveLength(1 + 16 + 2);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    expect({ memory, report }).toEqual({ memory: false, report: null });
  });

  it('that resemble reality have a report of their own', () => {
    expect(selectRows('realistic').report).toBe('REALISTIC.md');
  });

  it('have few requests and no report where the run is quick', () => {
    const { rows, report } = shortened(selectRows('realistic'));
    expect(rows.every(({ load }) => load.warmUp <= 1_500 && load.requests <= 300)).toBe(true);
    expect(report).toBeNull();
  });

  it('are listed where a name is unknown', () => {
    expect(() => selectRows('prompt-2kb-english')).toThrow(/"prompt-2kb-english" is no row.*prompt-1kb-english/);
  });

  it('have an agent’s conversation of 40 messages, two images and results for all calls, of about 1 MB', () => {
    const [row] = selectRows('agent').rows;
    const body = JSON.parse(String(row?.load.body));
    expect(body.messages).toHaveLength(40);
    expect(JSON.stringify(body).match(/"image_url":\{"url":"data:image\/png;base64,/g)).toHaveLength(2);
    const calls = body.messages.flatMap((each: { tool_calls?: { id: string }[] }) => each.tool_calls ?? []);
    const results = body.messages.filter(({ role }: { role: string }) => role === 'tool');
    expect(results.map((each: { tool_call_id: string }) => each.tool_call_id)).toEqual(
      calls.map(({ id }: { id: string }) => id),
    );
    expect(row?.load.body.length).toBeGreaterThan(900_000);
    expect(row?.load.body.length).toBeLessThan(1_300_000);
  });
});

describe('a generated text', () => {
  it.each(textKinds)('of the kind %s is the same at each run, and as long as it should be', (kind) => {
    const text = textOf(kind, 10_000);
    expect(textOf(kind, 10_000)).toBe(text);
    expect(Buffer.byteLength(text)).toBeGreaterThanOrEqual(10_000);
    expect(Buffer.byteLength(text)).toBeLessThan(10_700);
    expect(textOf(kind, 10_000, 2)).not.toBe(text);
  });

  it('of code and JSON has quotes, line breaks, letters of other alphabets and emoji', () => {
    for (const kind of ['code', 'json'] as const) {
      const text = textOf(kind, 10_000);
      expect(text).toMatch(/\\"/);
      expect(text).toMatch(/\\n/);
      expect(text).toMatch(/[ößüéŁ]|\p{Script=Han}/u);
      expect(text).toMatch(/\p{Extended_Pictographic}/u);
    }
  });
});
