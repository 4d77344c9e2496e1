import type { ReactNode } from 'react';
import type { AttachmentView } from '#shared/contract/ticket-shapes.ts';
import { MessageFiles } from './attachments.tsx';
import { Avatar } from './avatar.tsx';
import { Badge } from './badge.tsx';
import { Prose } from './prose.tsx';

/** A line of a conversation in words: a message or a note with its author, or something that happened. */
interface TalkLine {
  readonly id: string;
  readonly kind: 'user' | 'staff' | 'note' | 'event';
  /** Who wrote it, as it is shown. */
  readonly name: string;
  /** Their username, for their picture. */
  readonly author: string;
  /** Beside the name; '' for nothing. */
  readonly tag: string;
  /** HTML that the server wrote; of an event null. */
  readonly html: string | null;
  readonly files: readonly AttachmentView[];
  /** What happened; of a message ''. */
  readonly text: string;
  /** ISO 8601, and in words. */
  readonly at: string;
  readonly time: string;
  /** Below it; '' for nothing. */
  readonly mark: string;
}

/**
 * A conversation in the order of time. What is added while it is shown is announced. In: its name, its lines, and where
 * their files are read.
 */
export function Conversation({
  label,
  lines,
  address,
}: {
  label: string;
  lines: readonly TalkLine[];
  address: string;
}): ReactNode {
  return (
    <div role="log" aria-label={label}>
      <ol className="sp-talk">
        {lines.map((line) => (
          <Line key={line.id} line={line} address={address} />
        ))}
      </ol>
    </div>
  );
}

function Line({ line, address }: { line: TalkLine; address: string }): ReactNode {
  const { kind, name, author, tag, html, files, text, at, time, mark } = line;
  if (html === null)
    return (
      <li className="sp-talk__event">
        <span>{text}</span>
        <time dateTime={at}>{time}</time>
      </li>
    );
  return (
    <li className="sp-talk__line" data-kind={kind}>
      <Avatar name={author} />
      <div className="sp-talk__body">
        <div className="sp-talk__head">
          <span className="sp-talk__name">{name}</span>
          {tag !== '' && <Badge tone={kind === 'note' ? 'warning' : 'positive'}>{tag}</Badge>}
          <time className="sp-talk__time" dateTime={at}>
            {time}
          </time>
        </div>
        {html !== '' && <Prose html={html} />}
        <MessageFiles files={files} address={address} />
        {mark !== '' && <span className="sp-talk__mark">{mark}</span>}
      </div>
    </li>
  );
}
