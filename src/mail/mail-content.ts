import type { Mail } from './mail.ts';

/** The content of a message, independent of its format. */
export interface MailContent {
  readonly subject: string;
  /** Plain text. */
  readonly paragraphs: readonly string[];
  /** Shown as a button in HTML. */
  readonly link?: { readonly label: string; readonly url: string };
  /** Shown below the link, smaller. */
  readonly footer?: string;
}

/** Renders the content as plain text and as HTML that loads no external resource. */
export function composeMail(
  to: string,
  { subject, paragraphs, link, footer }: MailContent,
): Mail & { readonly html: string } {
  const text = [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : []), ...(footer ? [footer] : [])];
  const body = [
    ...paragraphs.map((paragraph) => `<p style="margin:0 0 16px">${escaped(paragraph)}</p>`),
    ...(link ? [linkAsHtml(link)] : []),
    ...(footer ? [`<p style="margin:0;font-size:13px;color:#5b6470">${escaped(footer)}</p>`] : []),
  ];
  return { to, subject, text: `${text.join('\n\n')}\n`, html: page(subject, body.join('\n')) };
}

/** The URL is also shown in full, so that it can be copied. */
function linkAsHtml({ label, url }: { label: string; url: string }): string {
  const button =
    'display:inline-block;padding:10px 18px;border-radius:6px;background:#1f5eff;color:#ffffff;text-decoration:none;font-weight:600';
  return `<p style="margin:0 0 16px"><a href="${escaped(url)}" style="${button}">${escaped(label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#5b6470;word-break:break-all">${escaped(url)}</p>`;
}

function page(title: string, body: string): string {
  const frame =
    'max-width:520px;margin:0 auto;padding:32px 24px;font:15px/1.5 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;color:#1a1f26;background:#ffffff';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title></head>
<body style="margin:0;background:#f4f5f7"><div style="${frame}">
${body}
</div></body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
