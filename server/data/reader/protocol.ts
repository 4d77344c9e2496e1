/**
 * What the reading thread is told first: which file, and the flag that stops a question (an Int32Array of one). It is
 * answered as number 0.
 */
export interface Opening {
  readonly path: string;
  readonly flag: SharedArrayBuffer;
}
/**
 * One thing to do: begin a view of the data, a statement in it, end the view; outside a view: copy the log back into
 * the file as far as nobody reads it. Each is answered, in order.
 */
export type Asking =
  | { readonly id: number; readonly what: 'begin' | 'end' | 'checkpoint' }
  | {
      readonly id: number;
      readonly what: 'rows';
      readonly sql: string;
      readonly params: readonly (string | number | null)[];
    };
/** `rows` is JSON: as text it crosses between threads for a fraction of what so many objects would cost. */
export type Answering =
  | { readonly id: number; readonly rows: string }
  | { readonly id: number; readonly fault: string; readonly code: string | null };
