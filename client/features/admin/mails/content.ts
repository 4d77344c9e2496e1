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

/** A line of a difference: what was taken away, what is new. */
interface DifferenceLine {
  readonly change: 'removed' | 'added';
  readonly text: string;
}

/** What changed from one content to another, in its order: the longest blocks in common stay. */
export function differenceOf(before: MailContentView, after: MailContentView): DifferenceLine[] {
  const [old, now] = [
    [before.subject, ...linesOf(before.blocks)],
    [after.subject, ...linesOf(after.blocks)],
  ];
  // Lengths of the longest common ends of both lists, from each pair of places on.
  const common: number[][] = Array.from({ length: old.length + 1 }, () => Array<number>(now.length + 1).fill(0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row) row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: DifferenceLine[] = [];
  const shown = (line: string | undefined): string => (line ?? '').replace(/^\w+\n/, '');
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ change: 'removed', text: shown(old[i]) });
      i += 1;
    } else {
      lines.push({ change: 'added', text: shown(now[j]) });
      j += 1;
    }
  }
  return lines.filter(({ text }) => text !== '');
}
