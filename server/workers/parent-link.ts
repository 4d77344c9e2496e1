/** What a process that `serve --workers` began says to it and hears from it. */
interface ParentLink {
  /** Says that this process serves, with lines for whoever started all of them. */
  ready(lines: string): void;
  /** Settles when this process is to end: it is told so, or its parent is gone. */
  readonly stopped: Promise<void>;
  /** Lets go of the parent, which would keep this process from ending. */
  close(): void;
}

/** What a parent tells a process that is to end. */
export const STOP = 'stop';
/** What a process says when it serves. */
export interface ReadyMessage {
  readonly ready: string;
}

/**
 * The link to the parent; null where a person began this process. Signals to the whole group (a terminal, systemd) mean
 * the parent, which ends its processes in their order: nobody is without the hosting API while a page is made.
 */
export function linkToParent(): ParentLink | null {
  const send = process.send?.bind(process);
  if (!send) return null;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const stopped = new Promise<void>((resolve) => {
    process.on('message', (message) => {
      if (message === STOP) resolve();
    });
    process.on('disconnect', resolve);
  });
  return {
    ready: (lines) => void send({ ready: lines } satisfies ReadyMessage),
    stopped,
    close: () => {
      if (process.connected) process.disconnect?.();
    },
  };
}
