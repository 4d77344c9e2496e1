/** What other services show of a link to a page (Open Graph). */
export interface PageCard {
  readonly title: string;
  readonly description: string;
  readonly site: string;
  /** `#rrggbb`, or empty. */
  readonly color: string;
  readonly image: { readonly url: string; readonly width: number; readonly height: number } | null;
}
