import type * as z from 'zod/mini';
import type { NotificationKind } from '#shared/notifications.ts';
import type { Permission } from '#shared/permissions.ts';
import type { MailTemplate, MailVars } from '../mailing/index.ts';
import type { NotificationData, OutsideWays } from '../notifications/index.ts';

/** Staff who are notified: those in use who hold one of the permissions, at most `limit` of them. */
export interface StaffGroup {
  readonly permissions: readonly Permission[];
  readonly limit: number;
}

/** A notification that an event causes; its words are `notification.<kind>` of the namespace `shell`. */
export type EventNotification<P> = {
  readonly kind: NotificationKind;
  readonly data?: (payload: P) => NotificationData;
  /** Whether it may be mailed and pushed, to whoever chose so; absent: both. */
  readonly ways?: (payload: P) => OutsideWays;
  /** `byId`: id of the user who caused the event; null: the system did. Absent: always. */
  readonly when?: (payload: P, byId: string | null) => boolean;
} & (
  | {
      /** Id of the user who is notified. */
      readonly to: (payload: P) => string;
      /** A second with the same key is not made; absent: one each time. */
      readonly key?: (payload: P) => string;
    }
  | {
      readonly to: StaffGroup;
      /** Each of them gets one with the same key once. */
      readonly key: (payload: P) => string;
    }
);

/**
 * An e-mail that an event causes, of one of the templates of the namespace `mail`. One that is called as a kind of
 * notification is the mail of that kind: it comes as its reader chose.
 */
export type EventMail<P> = {
  readonly [T in MailTemplate]: {
    readonly template: T;
    /** Id of the user it is for. */
    readonly to: (payload: P) => string;
    /** Values of its words; `nowMs`: when the event happened. */
    readonly data: (payload: P, nowMs: number) => Omit<MailVars[T], 'name'>;
    /** A second with the same key is not made; absent or undefined: one each time. */
    readonly key?: (payload: P) => string | undefined;
    /** UTC ms from which it is not sent any more, because what it announces would be past; absent: for ever good. */
    readonly untilMs?: (payload: P) => number;
    /** The ticket that an answer to it is for; absent: of none. */
    readonly ticketId?: (payload: P) => string;
    /** Absent: always. */
    readonly when?: (payload: P) => boolean;
  };
}[MailTemplate];

/** The row that an event leaves in the audit log, under who caused it. */
interface EventAudit<P> {
  /** `area.verb`. */
  readonly action: string;
  readonly target: (payload: P) => string;
  readonly before?: (payload: P) => unknown;
  readonly after?: (payload: P) => unknown;
}

/** All that is known of a kind of event: what it says, who may hear it, and what it causes by itself. */
export interface EventDeclaration<P> {
  /** Counts up when the payload changes in a way that breaks who reads it outside. */
  readonly version: number;
  readonly payload: z.ZodMiniType<P>;
  /** The name it had in earlier versions: plugins that were written for them hear it still (decision 102). */
  readonly formerly?: string;
  /** The fields that hearers outside of the product (webhooks, plugins) may be given; none: it is not theirs to hear. */
  readonly outside: readonly (keyof P & string)[];
  /** What happened, in one English sentence, for those who write such hearers; every event that they hear has one. */
  readonly description?: string;
  readonly notifications?: readonly EventNotification<P>[];
  readonly mails?: readonly EventMail<P>[];
  readonly audit?: EventAudit<P>;
}

/** Declares a kind of event; the payload's type follows from its schema. */
export function declareEvent<P>(declaration: EventDeclaration<P>): EventDeclaration<P> {
  return declaration;
}
