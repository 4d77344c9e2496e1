/** What other services show of a link to a page. `picture`: a path of ours; null where there is none. */
export interface LinkPreview {
  readonly title: string;
  readonly description: string;
  readonly picture: string | null;
}
