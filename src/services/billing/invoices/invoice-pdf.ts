import type { Readable } from 'node:stream';
import type PDFDocument from 'pdfkit';
import { localDay } from '../../../calendar/period.ts';
import { formatUsd } from '../../../catalogue/prices/price.ts';
import type { Invoice, InvoiceLine, InvoiceStatus } from '../../../database/entities/index.ts';
import type { InvoiceWithLines } from './invoices.service.ts';
import { printableText } from './printable-text.ts';

type Document = InstanceType<typeof PDFDocument>;

/** A4, in points. */
const PAGE = { width: 595.28, height: 841.89, margin: 56 };
const INNER = PAGE.width - 2 * PAGE.margin;
const BOTTOM = PAGE.height - PAGE.margin - 24;
const ROW_GAP = 7;
/** In characters: a longer name could fill a page. */
const MAX_TEXT_LENGTH = 300;
const ink = { text: '#1a1d21', quiet: '#667085', rule: '#d0d5dd' };
const regular = 'Helvetica';
const bold = 'Helvetica-Bold';

interface Column {
  readonly title: string;
  readonly width: number;
  readonly align: 'left' | 'right';
  of(line: InvoiceLine): string;
}

const columns: readonly Column[] = [
  { title: 'Description', width: 242, align: 'left', of: ({ description }) => description },
  {
    title: 'Quantity',
    width: 84,
    align: 'right',
    of: ({ quantity }) => (quantity === null ? '' : groupThousands(quantity)),
  },
  { title: 'Unit', width: 74, align: 'left', of: ({ unit }) => (unit === null ? '' : unitName(unit)) },
  { title: 'Amount (USD)', width: INNER - 400, align: 'right', of: ({ amountNano }) => amountText(amountNano) },
];
const COLUMN_GAP = 12;

const statusNames: Readonly<Record<InvoiceStatus, string>> = { open: 'Open', paid: 'Paid', void: 'Void' };

/** Renders an invoice as a PDF, which is generated while the stream is read. Its text can be extracted. */
export async function invoicePdf({ invoice, lines }: InvoiceWithLines): Promise<Readable> {
  // Loaded on demand: the package is large.
  const { default: PdfDocument } = await import('pdfkit');
  const document = new PdfDocument({
    size: 'A4',
    margin: 0,
    info: {
      Title: `Invoice ${invoice.number}`,
      Subject: printable(invoice.accountName),
      CreationDate: invoice.createdAt,
    },
    lang: 'en',
  });
  const sheet = new Sheet(document, invoice.number);
  drawHead(sheet, invoice);
  drawTableHead(sheet);
  for (const line of lines) drawLine(sheet, line);
  drawTotal(sheet, invoice);
  document.end();
  return document;
}

/** Tracks the position of the next row. Each page has a footer with the invoice's number and the page number. */
class Sheet {
  readonly document: Document;
  readonly #number: string;
  #page = 1;
  y = PAGE.margin;

  constructor(document: Document, number: string) {
    this.document = document;
    this.#number = number;
    this.#drawFoot();
  }

  /** Starts a new page if less than `height` is left. @returns whether it did */
  makeRoom(height: number): boolean {
    if (this.y + height <= BOTTOM) return false;
    this.document.addPage();
    this.#page += 1;
    this.y = PAGE.margin;
    this.#drawFoot();
    return true;
  }

  text(
    text: string,
    x: number,
    width: number,
    options: { font?: string; size?: number; color?: string } & Aligned,
  ): void {
    const { font = regular, size = 9.5, color = ink.text, align = 'left' } = options;
    this.document.font(font).fontSize(size).fillColor(color).text(text, x, this.y, { width, align, lineGap: 1.5 });
  }

  heightOf(text: string, width: number): number {
    return this.document.font(regular).fontSize(9.5).heightOfString(text, { width, lineGap: 1.5 });
  }

  rule(color: string, thickness: number): void {
    const { margin, width } = PAGE;
    this.document
      .moveTo(margin, this.y)
      .lineTo(width - margin, this.y)
      .lineWidth(thickness)
      .strokeColor(color)
      .stroke();
  }

  #drawFoot(): void {
    const { y } = this;
    this.y = PAGE.height - PAGE.margin;
    this.text(`Invoice ${this.#number}`, PAGE.margin, INNER / 2, { size: 8, color: ink.quiet });
    const right = { size: 8, color: ink.quiet, align: 'right' } as const;
    this.text(`Page ${this.#page}`, PAGE.margin + INNER / 2, INNER / 2, right);
    this.y = y;
  }
}

interface Aligned {
  readonly align?: 'left' | 'right';
}

function drawHead(sheet: Sheet, invoice: Invoice): void {
  const { timeZone } = invoice;
  sheet.text('Invoice', PAGE.margin, INNER, { font: bold, size: 24 });
  sheet.y += 44;
  const first = localDay(timeZone, invoice.periodStart.getTime());
  const last = localDay(timeZone, invoice.periodEnd.getTime() - 1);
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['Account', printable(invoice.accountName)],
    ['Account ID', invoice.accountId],
    ['Invoice number', invoice.number],
    ['Date', localDay(timeZone, invoice.createdAt.getTime())],
    ['Due', localDay(timeZone, invoice.dueAt.getTime())],
    ['Period', `${first} to ${last} (${printable(timeZone)})`],
    ['Plan', printable(invoice.planName)],
    ['Status', statusText(invoice)],
  ];
  for (const [name, value] of facts) {
    sheet.text(name, PAGE.margin, 90, { color: ink.quiet });
    sheet.text(value, PAGE.margin + 96, INNER - 96, {});
    sheet.y += sheet.heightOf(value, INNER - 96) + 4;
  }
  sheet.y += 26;
}

function statusText({ status, paidAt, timeZone, paymentReference }: Invoice): string {
  if (status !== 'paid' || paidAt === null) return statusNames[status];
  const reference = paymentReference === null ? '' : ` (${printable(paymentReference)})`;
  return `${statusNames.paid} on ${localDay(timeZone, paidAt.getTime())}${reference}`;
}

function drawTableHead(sheet: Sheet): void {
  for (const { column, x, width } of columnPositions())
    sheet.text(column.title, x, width, { font: bold, size: 9, align: column.align });
  sheet.y += 17;
  sheet.rule(ink.text, 1);
  sheet.y += ROW_GAP;
}

function drawLine(sheet: Sheet, line: InvoiceLine): void {
  const cells = columnPositions().map(({ column, x, width }) => ({
    column,
    x,
    width,
    text: printable(column.of(line)),
  }));
  const height = Math.max(...cells.map(({ text, width }) => sheet.heightOf(text, width)));
  if (sheet.makeRoom(height + ROW_GAP)) drawTableHead(sheet);
  for (const { column, x, width, text } of cells) sheet.text(text, x, width, { align: column.align });
  sheet.y += height + ROW_GAP - 2;
  sheet.rule(ink.rule, 0.5);
  sheet.y += ROW_GAP;
}

function drawTotal(sheet: Sheet, { totalNano, currency }: Invoice): void {
  sheet.makeRoom(40);
  sheet.y += 8;
  const options = { font: bold, size: 13 };
  sheet.text('Total', PAGE.margin, INNER / 2, options);
  sheet.text(`${currency} ${amountText(totalNano)}`, PAGE.margin + INNER / 2, INNER / 2, {
    ...options,
    align: 'right',
  });
}

function columnPositions(): { column: Column; x: number; width: number }[] {
  let x = PAGE.margin;
  return columns.map((column, index) => {
    const isLast = index === columns.length - 1;
    const position = { column, x, width: isLast ? column.width : column.width - COLUMN_GAP };
    x += column.width;
    return position;
  });
}

function printable(text: string): string {
  const cut = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
  return printableText(cut);
}

/** The exact amount, with at least two decimals: `1,234.50`, `0.000123`. */
function amountText(nano: bigint): string {
  const text = formatUsd(nano < 0n ? -nano : nano);
  const [whole = '0', fraction = ''] = text.split('.');
  return `${nano < 0n ? '-' : ''}${groupThousands(`${whole}.${fraction.padEnd(2, '0')}`)}`;
}

/** Inserts thousands separators into a decimal. */
function groupThousands(decimal: string): string {
  const [whole = '0', fraction] = decimal.split('.');
  const parts = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? parts : `${parts}.${fraction}`;
}

function unitName(unit: string): string {
  const names: Readonly<Record<string, string>> = {
    audio_second: 'seconds of audio',
    video_second: 'seconds of video',
    search: 'searches',
    file_search: 'file searches',
    document_search: 'document searches',
    x_search: 'X searches',
  };
  return names[unit] ?? `${unit.replaceAll('_', ' ')}s`;
}
