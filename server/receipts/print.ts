import type Document from 'pdfkit';
import type { Receipt } from '#shared/contract/payments.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { formatMoney } from '#shared/money.ts';
import bold from './fonts/dejavu-sans-bold.ttf' with { type: 'file' };
import regular from './fonts/dejavu-sans.ttf' with { type: 'file' };
import { receiptWords, type ReceiptWords } from './texts.ts';

/** A4 in points, and what is left of it between the margins. */
const PAGE = { size: 'A4', margin: 56, width: 595.28 - 112 } as const;
const GREY = '#5b6470';

type Sheet = InstanceType<typeof Document>;
/** The library and the fonts, once a receipt is wanted: together they would be most of what a server needs to start. */
let tools: Promise<{ readonly Sheet: typeof Document; readonly fonts: readonly [Buffer, Buffer] }> | null = null;

async function load() {
  const [library, ...fonts] = await Promise.all([import('pdfkit'), read(regular), read(bold)]);
  return { Sheet: library.default, fonts };
}
const read = async (path: string): Promise<Buffer> => Buffer.from(await Bun.file(path).arrayBuffer());

/**
 * A receipt as a PDF in a language; times by a zone (IANA name). The same receipt gives the same bytes, but for the
 * file's own id.
 */
export async function printReceipt(
  receipt: Receipt,
  locale: Locale,
  timeZone: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const {
    Sheet,
    fonts: [plain, strong],
  } = await (tools ??= load());
  const words = receiptWords(locale);
  const issued = new Date(receipt.issued_at);
  const title = words.fill(words.texts.receiptNo, { number: receipt.number });
  const sheet = new Sheet({
    // Without a first font: the built-in ones are read from files that a binary does not have, and know no Romanian
    // letters.
    size: PAGE.size,
    margin: PAGE.margin,
    font: '',
    lang: words.tag,
    displayTitle: true,
    info: { Title: title, Author: receipt.seller.name, CreationDate: issued, ModDate: issued },
  });
  sheet.registerFont('plain', plain).registerFont('bold', strong);
  const done = bytesOf(sheet);
  draw(sheet, receipt, words, {
    title,
    date: new Intl.DateTimeFormat(words.tag, { dateStyle: 'long', timeZone }).format(issued),
  });
  sheet.end();
  return done;
}

function bytesOf(sheet: Sheet): Promise<Uint8Array<ArrayBuffer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const chunks: Uint8Array[] = [];
  sheet.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  sheet.on('end', () => resolve(Buffer.concat(chunks)));
  sheet.on('error', reject);
  return promise;
}

function draw(sheet: Sheet, receipt: Receipt, words: ReceiptWords, head: { title: string; date: string }): void {
  const { texts, fill } = words;
  const { seller, customer } = receipt;
  sheet.font('bold').fontSize(20).text(head.title, PAGE.margin, PAGE.margin);
  sheet
    .font('plain')
    .fontSize(10)
    .fillColor(GREY)
    .text(`${texts.issued}: ${head.date}`)
    .text(`${texts.order}: ${receipt.order}`)
    .fillColor('black');
  const top = sheet.y + 24;
  const half = PAGE.width / 2;
  const vat = seller.vat === '' ? [] : [fill(texts.vat, { number: seller.vat })];
  const left = party(sheet, texts.seller, [seller.name, ...seller.lines, ...vat], {
    x: PAGE.margin,
    y: top,
    width: half - 12,
  });
  const right = party(sheet, texts.customer, [customer.name, customer.username, customer.email], {
    x: PAGE.margin + half,
    y: top,
    width: half - 12,
  });
  table(sheet, receipt, words, Math.max(left, right) + 28);
}

/** Who sells or buys, in a column. Out: where it ends. */
function party(
  sheet: Sheet,
  label: string,
  lines: readonly string[],
  { x, y, width }: { x: number; y: number; width: number },
): number {
  sheet.font('plain').fontSize(9).fillColor(GREY).text(label, x, y, { width }).fillColor('black').fontSize(10);
  for (const [index, line] of lines.filter(Boolean).entries())
    sheet.font(index === 0 ? 'bold' : 'plain').text(line, x, sheet.y + 2, { width });
  return sheet.y;
}

/** What was bought, the tax in it, and the sum. */
function table(sheet: Sheet, receipt: Receipt, words: ReceiptWords, top: number): void {
  const { texts, fill, tag } = words;
  const money = (minor: number): string => formatMoney({ minor, currency: receipt.currency }, tag);
  const rate = `${new Intl.NumberFormat(tag, { maximumFractionDigits: 2 }).format(receipt.tax_rate / 100)} %`;
  const label = receipt.label ?? texts.customAmount;
  const what = fill(texts.itemCredits, { label, credits: words.credits(receipt.credits + receipt.bonus) });
  const rows: readonly (readonly [string, string, 'plain' | 'bold'])[] = [
    [what, money(receipt.amount), 'plain'],
    ...(receipt.tax_rate > 0
      ? ([
          [texts.net, money(receipt.net), 'plain'],
          [fill(texts.taxAt, { rate }), money(receipt.tax), 'plain'],
        ] as const)
      : []),
    [texts.total, money(receipt.amount), 'bold'],
    ...(receipt.refunded > 0 ? ([[texts.refundedSum, money(receipt.refunded), 'plain']] as const) : []),
  ];
  let y = row(sheet, [texts.item, texts.amount, 'plain'], top, GREY);
  for (const each of rows) y = row(sheet, each, y, 'black');
  sheet
    .font('plain')
    .fontSize(9)
    .fillColor(GREY)
    .text(`${texts.via}: ${texts.provider[receipt.provider]}`, PAGE.margin, y + 18, { width: PAGE.width });
  sheet.text(texts.thanks, PAGE.margin, sheet.y + 6, { width: PAGE.width });
}

/** A line of the table with a rule under it. Out: where the next one begins. */
function row(
  sheet: Sheet,
  [label, value, font]: readonly [string, string, 'plain' | 'bold'],
  y: number,
  colour: string,
): number {
  const wide = PAGE.width - 150;
  sheet.font(font).fontSize(10).fillColor(colour);
  sheet.text(value, PAGE.margin + wide, y, { width: 150, align: 'right' });
  sheet.text(label, PAGE.margin, y, { width: wide });
  const end = sheet.y + 5;
  sheet
    .moveTo(PAGE.margin, end)
    .lineTo(PAGE.margin + PAGE.width, end)
    .lineWidth(0.5)
    .strokeColor('#c9ced6')
    .stroke();
  return end + 7;
}
