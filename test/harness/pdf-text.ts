import { inflateSync } from 'node:zlib';

/** The texts of a PDF that pdfkit wrote, page by page: each as it was drawn. */
export function pdfText(pdf: Buffer): string[][] {
  const bytes = pdf.toString('latin1');
  return [...bytes.matchAll(/\/Length (\d+)[^]*?stream\r?\n/g)].flatMap(({ 0: head, 1: length, index }) => {
    // By its length: what is packed may end with bytes that look like the end of a line.
    const start = index + head.length;
    const content = unpacked(pdf.subarray(start, start + Number(length)));
    if (content === null || !content.includes(' TJ')) return [];
    return [[...content.matchAll(/\[([^\]]*)\] TJ/g)].map(([, parts = '']) => decoded(parts))];
  });
}

function unpacked(stream: Buffer): string | null {
  try {
    return inflateSync(stream).toString('latin1');
  } catch {
    return null;
  }
}

function decoded(parts: string): string {
  const hex = [...parts.matchAll(/<([0-9a-f]*)>/g)].map(([, digits = '']) => digits).join('');
  return new TextDecoder('windows-1252').decode(Buffer.from(hex, 'hex'));
}
