import type { ReactNode } from 'react';

/** What a dialog shows. Texts are already translated. */
export interface DialogOptions {
  title: string;
  text?: ReactNode;
  /** A quiet line under the text. */
  footer?: ReactNode;
  /** Label of the confirming button; `OK` otherwise. */
  ok?: string;
  /** `danger` paints the confirming button red and puts the focus on Cancel. */
  tone?: 'danger';
  /** Esc does nothing. */
  locked?: boolean;
}

/** A question. */
export interface ConfirmOptions extends DialogOptions {
  cancel?: string;
  /** The confirming button waits until exactly this is typed. */
  typeToConfirm?: { text: string; label: string };
}

/** A question with a second way to say no. */
export interface ChooseOptions extends ConfirmOptions {
  no?: string;
}

/** A question that asks for a line of text. */
export interface PromptOptions extends ConfirmOptions {
  label: string;
  initial?: string;
  maxLength?: number;
  required?: boolean;
  type?: 'text' | 'password';
}

/** How a dialog ended: the buttons' default texts are OK, No and Cancel (specification, S8.12). */
export type DialogResult = { by: 'ok'; text: string } | { by: 'no' } | { by: 'cancel' };

/** A dialog waiting for an answer. */
export interface OpenDialog {
  readonly id: number;
  readonly kind: 'alert' | 'confirm' | 'choose' | 'prompt';
  readonly options: DialogOptions & Partial<ChooseOptions> & Partial<PromptOptions>;
  readonly end: (end: DialogResult) => void;
}

/** A queue of dialogs; the first is on screen. */
export interface Dialogs {
  /** Shows a message; resolves when it is closed. */
  alert(options: DialogOptions): Promise<void>;
  /** Asks; true for the confirming button. */
  confirm(options: ConfirmOptions): Promise<boolean>;
  /** Asks with three answers. */
  choose(options: ChooseOptions): Promise<'ok' | 'no' | 'cancel'>;
  /** Asks for text; null when cancelled. */
  prompt(options: PromptOptions): Promise<string | null>;
  /** For the host that draws them. */
  subscribe(listener: () => void): () => void;
  current(): OpenDialog | null;
}

/** Creates an independent queue of dialogs; the product uses `dialogs`. */
export function createDialogs(): Dialogs {
  let queue: readonly OpenDialog[] = [];
  let lastId = 0;
  const listeners = new Set<() => void>();
  const change = (next: readonly OpenDialog[]): void => {
    queue = next;
    for (const listener of listeners) listener();
  };
  const open = (kind: OpenDialog['kind'], options: OpenDialog['options']): Promise<DialogResult> =>
    new Promise((resolve) => {
      const id = ++lastId;
      const end = (how: DialogResult): void => {
        if (!queue.some((each) => each.id === id)) return;
        change(queue.filter((each) => each.id !== id));
        resolve(how);
      };
      change([...queue, { id, kind, options, end }]);
    });
  return {
    alert: async (options) => {
      await open('alert', options);
    },
    confirm: async (options) => (await open('confirm', options)).by === 'ok',
    choose: async (options) => (await open('choose', options)).by,
    prompt: async (options) => {
      const end = await open('prompt', options);
      return end.by === 'ok' ? end.text : null;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    current: () => queue[0] ?? null,
  };
}

/** The dialogs of the page. In the browser only: the server has nobody to ask. */
export const dialogs: Dialogs = createDialogs();
