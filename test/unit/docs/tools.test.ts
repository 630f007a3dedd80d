import { describe, expect, it } from 'vitest';
import { setUps } from '../../../src/dashboard/pages/tools/set-ups.ts';
import { pageText } from '../../harness/docs.ts';

/** The sections of the page by their titles. */
const sections = new Map(
  pageText('docs/tools.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end).trim()] as const;
    }),
);
const filling = { origin: 'http://127.0.0.1:4000', model: 'anthropic/claude-opus-5' };

describe('the set-up of the dashboard', () => {
  it('has the tools of the documentation, in its order', () => {
    expect(setUps.map(({ name }) => name)).toEqual([...sections.keys()]);
  });

  it.each(setUps)('for $name is that of the documentation', ({ name, before, language, code, after, file }) => {
    const block = code && `<!-- needs: ${name} -->\n\`\`\`${language}\n${code(filling)}\n\`\`\``;
    const toml = file && `<!-- needs: ${name} -->\n\`\`\`toml\n${file(filling)}\n\`\`\``;
    expect([before, block, after, toml].filter((part) => part !== undefined).join('\n\n')).toBe(sections.get(name));
  });

  it('for Claude Code names one model where it is not of Anthropic', () => {
    const code = setUps.find(({ name }) => name === 'Claude Code')?.code?.({ ...filling, model: 'openai/gpt-5.5' });
    expect(code).toContain('ANTHROPIC_MODEL=openai/gpt-5.5\nexport ANTHROPIC_DEFAULT_HAIKU_MODEL=openai/gpt-5.5\n');
  });
});
