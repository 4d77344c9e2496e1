/** What other services show of a link to a page (Open Graph). */
export interface PageCard {
  readonly title: string;
  readonly description: string;
  readonly site: string;
  /** `#rrggbb`, or empty. */
  readonly color: string;
  /** Pixels, where they are known. */
  readonly image: { readonly url: string; readonly width: number | null; readonly height: number | null } | null;
}
