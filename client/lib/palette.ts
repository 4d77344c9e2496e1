/**
 * Groups of the command palette: what can be done, where one can go, the own servers, the admin area; and what staff
 * find.
 */
export type PaletteGroup =
  'do' | 'go' | 'servers' | 'admin' | 'users' | 'staffServers' | 'orders' | 'codes' | 'queue' | 'settings';

/** One line of the command palette. */
export interface PaletteEntry {
  /** Unique and lasting: recently used entries are remembered by it. */
  readonly id: string;
  readonly group: PaletteGroup;
  /** In the visitor's language. */
  readonly label: string;
  /** Shown at the end of the line: which area, which state. */
  readonly hint?: string;
  /** Further words by which it is found. */
  readonly words?: readonly string[];
  /** One of many similar entries (a language): shown only in search results. */
  readonly quiet?: boolean;
  /** Name of an icon (client/ui/icons.ts); a plain arrow otherwise. */
  readonly icon?: string;
  /** Where it leads, or what it does: one of the two. */
  readonly to?: string;
  readonly run?: () => void;
}
/** Provides entries each time the palette opens. */
export type PaletteSource = () => readonly PaletteEntry[] | Promise<readonly PaletteEntry[]>;

const sources = new Set<PaletteSource>();
const openers = new Set<() => void>();

/**
 * The command palette as other parts of the page see it: it can be opened, and entries can be added. The palette itself
 * is loaded when it is first opened.
 */
export const palette = {
  /** Adds entries of another part. Out: a function that takes them away again. */
  register(source: PaletteSource): () => void {
    sources.add(source);
    return () => void sources.delete(source);
  },
  /** What was added. */
  sources: (): readonly PaletteSource[] => [...sources],
  /** Opens it, on pages that have one. */
  open: () => openers.forEach((opener) => opener()),
  /** For the part that renders it: called on `open`. Out: a function that unsubscribes. */
  onOpen(opener: () => void): () => void {
    openers.add(opener);
    return () => void openers.delete(opener);
  },
} as const;

/** Event of the document that opens the UI Customization panel. */
export const CUSTOMIZE_EVENT = 'sp:customize';
