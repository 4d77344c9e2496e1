import { differenceOfLines, type DifferenceLine } from '#client/lib/difference.ts';
import type { MailContentView } from '#shared/contract/mail-templates.ts';
import { MAIL_BLOCKS, type MailBlock } from '#shared/mails.ts';

/** What a form of blocks says: pairs of kind and text in their order; what has neither text nor is a line is left out. */
export function readContent(form: FormData): MailContentView {
  const texts = form.getAll('text').map(String);
  const blocks = form.getAll('kind').flatMap((value, index): MailContentView['blocks'] => {
    const kind = MAIL_BLOCKS.find((each) => each === value);
    const text = (texts[index] ?? '').replaceAll('\r\n', '\n');
    if (kind === 'divider') return [{ kind, text: '' }];
    return kind === undefined || text.trim() === '' ? [] : [{ kind, text }];
  });
  return { subject: String(form.get('subject') ?? ''), blocks };
}

/** Whether two contents say the same. */
export const isSameContent = (a: MailContentView, b: MailContentView): boolean =>
  a.subject === b.subject && JSON.stringify(linesOf(a.blocks)) === JSON.stringify(linesOf(b.blocks));

const linesOf = (blocks: readonly MailBlock[]): string[] => blocks.map(({ kind, text }) => `${kind}\n${text}`);

/** What changed from one content to another, in its order: the longest blocks in common stay. */
export function differenceOf(before: MailContentView, after: MailContentView): DifferenceLine[] {
  const whole = ({ subject, blocks }: MailContentView): string[] => [subject, ...linesOf(blocks)];
  return differenceOfLines(whole(before), whole(after))
    .map(({ change, text }) => ({ change, text: text.replace(/^\w+\n/, '') }))
    .filter(({ text }) => text !== '');
}
