/** Account of a user at a panel; `synced`: hash of the address and names it has there. */
export interface PanelAccount {
  readonly panel: string;
  readonly userId: string;
  readonly account: string;
  readonly synced: string;
}
export interface DriftRow {
  readonly kind: 'orphan' | 'ghost' | 'differs';
  /** Id at the panel. */
  readonly ref: string;
  readonly serverId: string | null;
  readonly name: string;
  /** Orphan: its external id; differs: what differs; ghost: ''. */
  readonly detail: string;
}

/** `panel` of drift rows of the embedded panel. */
export const EMBEDDED_DRIFT = '';

/** What ties our users, eggs and servers to those of a panel. */
export interface PanelLinksRepo {
  findAccount(panel: string, userId: string): Promise<PanelAccount | null>;
  /** Whose an account of a panel was who is deleted here; null: nobody's. */
  findDeletedOwner(panel: string, account: string): Promise<string | null>;
  /** Accounts of users at a panel, by user. */
  accountIds(panel: string, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  listAccounts(userId: string): Promise<PanelAccount[]>;
  /**
   * Accounts at panels in use with what the user's address and names are now, after a place in the order of panel and
   * user.
   */
  listAccountsAfter(
    after: { panel: string; userId: string } | null,
    limit: number,
  ): Promise<
    (PanelAccount & {
      readonly username: string;
      readonly email: string;
      readonly firstName: string;
      readonly lastName: string;
    })[]
  >;
  saveAccount(account: PanelAccount, atMs: number): Promise<void>;
  deleteAccount(panel: string, userId: string): Promise<void>;
  /** The panel's id of an egg of ours; null where it was not bound. */
  findPanelEgg(eggId: string, panel: string): Promise<string | null>;
  /** The same, for what is on sale: null as well where the panel does not have the egg any more. */
  findOfferedEgg(eggId: string, panel: string): Promise<string | null>;
  /** Our eggs that are bound at a panel: our id by the panel's. */
  boundEggs(panel: string): Promise<ReadonlyMap<string, string>>;
  /** Pairs of egg and panel that are bound, without eggs that the panel does not have any more. */
  bindings(): Promise<{ eggId: string; panel: string }[]>;
  /** Notes what differs between a panel and us; what was noted before keeps its first moment. */
  saveDrift(panel: string, rows: readonly DriftRow[], atMs: number): Promise<void>;
  /** Forgets what a complete comparison with a panel, begun at a moment, has not seen again. */
  deleteStaleDrift(panel: string, beforeMs: number): Promise<void>;
}
