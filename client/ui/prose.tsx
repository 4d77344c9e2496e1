import type { ReactNode } from 'react';

/** A text of the host's: HTML that the server wrote from Markdown (server/markdown.ts). */
export function Prose({ html }: { html: string }): ReactNode {
  // oxlint-disable-next-line react/no-danger -- written tag by tag on the server, with nothing of the source but its text (attacks T41)
  return <div className="sp-prose" dangerouslySetInnerHTML={{ __html: html }} />;
}
