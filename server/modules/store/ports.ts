import type { ResourceKind } from '#shared/constants.ts';

/** Something the store sells (behaviour 5.1). */
export interface StoreItem {
  readonly id: string;
  readonly kind: ResourceKind;
  /** Amount one unit adds: MB, percent or count. */
  readonly quantity: number;
  /** Credits a unit. */
  readonly price: number;
  /** The most of this kind that the store sells a user up to. */
  readonly limitTotal: number;
  readonly position: number;
  readonly visible: boolean;
  readonly vipOnly: boolean;
}
export interface Purchase {
  readonly id: string;
  readonly userId: string;
  readonly itemId: string;
  readonly kind: ResourceKind;
  readonly units: number;
  /** Amount bought in all: units times quantity a unit at that time. */
  readonly quantity: number;
  readonly priceEach: number;
  readonly total: number;
  readonly txId: string;
  readonly createdMs: number;
  readonly refundedMs: number | null;
}
export interface StoreRepo {
  /** What is on sale, in the order of the shop. */
  items(): Promise<StoreItem[]>;
  item(id: string): Promise<StoreItem | null>;
  addPurchase(purchase: Omit<Purchase, 'refundedMs'>): Promise<void>;
  /** A purchase, locked until the transaction ends. */
  lockPurchase(id: string): Promise<Purchase | null>;
  /** Newest first. */
  purchasesOf(userId: string, limit: number): Promise<Purchase[]>;
  /** Marks a purchase as refunded; false where it was. */
  markRefunded(id: string, refundTxId: string, atMs: number): Promise<boolean>;
}
