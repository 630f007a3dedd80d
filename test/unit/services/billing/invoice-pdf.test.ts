import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Invoice, InvoiceLine } from '../../../../src/database/entities/index.ts';
import { invoicePdf } from '../../../../src/services/billing/invoices/invoice-pdf.ts';
import type { InvoiceWithLines } from '../../../../src/services/billing/invoices/invoices.service.ts';
import { printableText } from '../../../../src/services/billing/invoices/printable-text.ts';
import { pdfText } from '../../../harness/pdf-text.ts';

function invoiceOf(accountName: string, lines: readonly Partial<InvoiceLine>[]): InvoiceWithLines {
  const invoice = Object.assign(new Invoice(), {
    accountId: randomUUID(),
    number: '9F86D081884C-0001',
    accountName,
    timeZone: 'Europe/Berlin',
    periodStart: new Date('2026-10-31T23:00:00Z'),
    periodEnd: new Date('2026-11-30T23:00:00Z'),
    planId: 'pro',
    planName: 'Pro',
    totalNano: 1_234_500_000_123n,
    cutoffAt: new Date('2026-11-30T23:30:00Z'),
    createdAt: new Date('2026-11-30T23:31:00Z'),
    dueAt: new Date('2026-12-14T23:31:00Z'),
  });
  const rows = lines.map((line, index) =>
    Object.assign(
      new InvoiceLine(),
      { invoice, kind: 'usage', description: '', position: index + 1, amountNano: 0n },
      line,
    ),
  );
  return { invoice, lines: rows };
}

const pagesOf = async (invoice: InvoiceWithLines): Promise<string[][]> =>
  pdfText(await buffer(await invoicePdf(invoice)));

describe('invoice PDF', () => {
  it('contains the invoice, its lines and its total', async () => {
    const line = {
      description: 'openai/gpt-5.5, chat',
      unit: 'token',
      quantity: '1234567.5',
      amountNano: 16_500_000_000n,
    };
    const credit = { kind: 'credit', description: 'Credit applied', amountNano: -123n } as const;
    const input = invoiceOf('Müller & Söhne – “AI”', [line, credit]);
    const [page = []] = await pagesOf(input);
    expect(page).toEqual([
      'Invoice 9F86D081884C-0001',
      'Page 1',
      'Invoice',
      'Account',
      'Müller & Söhne – “AI”',
      'Account ID',
      input.invoice.accountId,
      'Invoice number',
      '9F86D081884C-0001',
      'Date',
      '2026-12-01',
      'Due',
      '2026-12-15',
      'Period',
      '2026-11-01 to 2026-11-30 (Europe/Berlin)',
      'Plan',
      'Pro',
      'Status',
      'Open',
      'Description',
      'Quantity',
      'Unit',
      'Amount (USD)',
      'openai/gpt-5.5, chat',
      '1,234,567.5',
      'tokens',
      '16.50',
      'Credit applied',
      '-0.000000123',
      'Total',
      'USD 1,234.500000123',
    ]);
  });

  it('repeats the table header and numbers each page', async () => {
    const lines = Array.from({ length: 150 }, (_, index) => ({ description: `model ${index}, chat`, amountNano: 5n }));
    const pages = await pagesOf(invoiceOf('Long', lines));
    expect(pages.length).toBeGreaterThan(3);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`Page ${index + 1}`);
      expect(page).toContain('Description');
    }
    const descriptions = pages.flat().filter((text) => text.startsWith('model '));
    expect(descriptions).toEqual(lines.map(({ description }) => description));
    expect(pages.at(-1)?.at(-2)).toBe('Total');
  });

  it('renders any name', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 80 }), async (name) => {
        const [page = []] = await pagesOf(invoiceOf(name, [{ description: name, amountNano: 1n }]));
        expect(page).toContain('Total');
      }),
      { numRuns: 40 },
    );
    const [page = []] = await pagesOf(invoiceOf('Łódź Žižkov 株式会社 ☃ 😀\n€5', []));
    expect(page).toContain('?ódz Žižkov ???? ? ? €5');
  });
});

describe('printable text', () => {
  it.each([
    ['Ångström', 'Ångström'],
    ['Ångström'.normalize('NFD'), 'Ångström'],
    ['Dvořák', 'Dvorák'],
    ['a\u0000b\tc', 'ab c'],
    ['ﬁne', 'fine'],
  ])('converts %j to %j', (text, expected) => {
    expect(printableText(text)).toBe(expected);
  });
});
