import { expect, it } from 'vitest';
import { composeMail } from '../../../src/mail/mail-content.ts';

it('escapes names and URLs in HTML', () => {
  const name = `<script>"Ada" & 'Söhne'</script>`;
  const shown = `&lt;script&gt;&quot;Ada&quot; &amp; 'Söhne'&lt;/script&gt;`;
  const { text, html } = composeMail('ada@example.com', {
    subject: name,
    paragraphs: [name],
    link: { label: name, url: 'https://gate.example/join?a=1&b="2"' },
    footer: name,
  });
  expect(text).toBe(`${name}\n\n${name}:\nhttps://gate.example/join?a=1&b="2"\n\n${name}\n`);
  expect(html.split(shown)).toHaveLength(1 + 4);
  expect(html.split('https://gate.example/join?a=1&amp;b=&quot;2&quot;')).toHaveLength(1 + 2);
  expect(html).not.toContain('<script');
});
