import type {
  EmailRule,
  ImportFaultCode,
  ImportKind,
  ImportProduct,
  ImportReason,
  ImportState,
  ImportStep,
  ImportTask,
  NameRule,
} from '#shared/imports.ts';
import type { Locale } from '#shared/i18n/locales.ts';

/** One installation of another dashboard. */
export interface ImportOrigin {
  readonly product: ImportProduct;
  /** A name for it, where an operator brings several together. */
  readonly instance: string;
}
/** What is proposed for a role of the source. */
export interface RoleProposal {
  readonly name: string;
  /** Users who would come with it. */
  readonly users: number;
  /** The id of a role of ours, `new` or `default`: the role of new users. */
  readonly to: string;
  /** The name of that role; '' where it is none that is here. */
  readonly toName: string;
  /** Rights that a new role would begin with; none: there can be no new one. */
  readonly permissions: readonly string[];
  /** How many of its rights have no counterpart. */
  readonly unmatched: number;
}
/** What an owner says of one: `to` as in the proposal. */
export type RoleChoice = Pick<RoleProposal, 'name' | 'to'>;
/** One bringing over, or the dry run of one. */
export interface ImportRun extends ImportOrigin {
  readonly id: string;
  readonly state: ImportState;
  readonly fault: ImportFaultCode | null;
  /** JSON: how it was asked for, and what came of it. */
  readonly options: string;
  readonly summary: string;
  /** Null: the command line. */
  readonly startedBy: string | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}
/** Which of our rows a row of the source became. */
export interface ImportedRow {
  readonly kind: ImportKind;
  readonly sourceId: string;
  readonly runId: string;
  readonly targetId: string;
  /** Our row was made for it; false: it was there before. */
  readonly made: boolean;
  readonly credits: number;
  /** What an undo needs. */
  readonly undo: string;
}
/** Somebody who has a name or an address already. */
export interface TakenUser {
  readonly id: string;
  readonly usernameKey: string;
  readonly emailKey: string;
  readonly verified: boolean;
  readonly active: boolean;
}
export interface ImportedPayment {
  readonly id: string;
  readonly runId: string;
  readonly userId: string;
  readonly gateway: string;
  readonly reference: string;
  readonly status: string;
  readonly amount: string | null;
  readonly currency: string;
  readonly credits: number | null;
  readonly paidMs: number | null;
}

/** A payment at another dashboard, as its user and staff see it. */
export type PaymentElsewhere = Omit<ImportedPayment, 'runId' | 'userId'> & { readonly product: ImportProduct };

/** What was brought from other dashboards. */
export interface ImportsRepo {
  addRun(run: ImportRun): Promise<void>;
  updateRun(
    id: string,
    change: Partial<Pick<ImportRun, 'state' | 'fault' | 'summary' | 'options'>>,
    nowMs: number,
  ): Promise<void>;
  findRun(id: string): Promise<ImportRun | null>;
  removeRun(id: string): Promise<void>;
  /** The newest first. */
  listRuns(limit: number): Promise<ImportRun[]>;
  /** Who has one of these names or addresses, by their keys (`normaliseName`). */
  listTaken(keys: { readonly names: readonly string[]; readonly emails: readonly string[] }): Promise<TakenUser[]>;
  /** What rows of a source became, by their ids there. */
  listRows(origin: ImportOrigin, kind: ImportKind, sourceIds: readonly string[]): Promise<Map<string, ImportedRow>>;
  /** Which of these users have not deleted their account. */
  listHere(userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Notes what a row became; fails at the database where it is noted already. */
  addRow(origin: ImportOrigin, row: ImportedRow): Promise<void>;
  /** Rows of a run, of one kind, by their ids in the source, after one. */
  listRowsOf(runId: string, kind: ImportKind, afterSourceId: string, limit: number): Promise<ImportedRow[]>;
  deleteRow(origin: ImportOrigin, kind: ImportKind, sourceId: string): Promise<void>;
  /** Credits that rows of an origin came with, and what the ledger has under its references. */
  sums(origin: ImportOrigin): Promise<{ readonly rows: number; readonly ledger: number }>;
  addPayment(payment: ImportedPayment): Promise<void>;
  /** Payments of a user at other dashboards, the newest first, with where each was made. */
  listPaymentsOf(userId: string, limit: number): Promise<PaymentElsewhere[]>;
  addCodeUse(codeId: string, userId: string): Promise<void>;
  /**
   * Whether a user did anything since a run made them: logged in, moved credits beside those that came with them, or
   * got something by another run.
   */
  isTouched(userId: string, runId: string): Promise<boolean>;
  /** Rows of a run that became servers, tickets and payments of a user. */
  listRowsOfOwner(runId: string, userId: string): Promise<ImportedRow[]>;
  /** Whether a server, ticket or payment is of somebody whom the run has a row of. */
  isOfComer(runId: string, targetId: string): Promise<boolean>;
  /**
   * Takes the row of a server away that was adopted, without a word to its panel, whose server it stays. Out: false
   * where somebody paid for it since; then it stays.
   */
  forgetServer(serverId: string): Promise<boolean>;
  /** Takes a code, a package, a payment or a ticket away. Out: false where somebody used it meanwhile; then it stays. */
  forget(kind: 'code' | 'package' | 'payment' | 'ticket', id: string): Promise<boolean>;
}

/** Something that was said of a row of the source. `label`: a name that people know it by. */
export interface ImportNote {
  readonly seq: number;
  readonly kind: ImportKind;
  readonly id: string;
  readonly label: string;
  readonly reason: ImportReason;
}
/** What is being done about imports. `runId` is null while a source is checked. */
export interface RunningImport {
  readonly task: ImportTask;
  readonly runId: string | null;
  readonly sinceMs: number;
  readonly step: ImportStep;
  readonly done: number;
}
/** What lies beside the installation: files that were brought, and what runs read of them. */
export interface ImportFiles {
  /** Bytes that are free on the disk. */
  freeBytes(): number;
  /** What some process does, the command line too; null: none does anything. */
  running(): RunningImport | null;
  hasUpload(upload: string): boolean;
  removeUpload(upload: string): void;
  /** Whether what a run read is still here. */
  hasRun(runId: string): boolean;
  removeRun(runId: string): void;
  /** What was said of rows, in order, after one, at most `limit`; null where the run's file is gone. */
  listNotes(
    runId: string,
    asked: {
      readonly kind?: ImportKind | undefined;
      readonly reason?: ImportReason | undefined;
      readonly after: number;
      readonly limit: number;
    },
  ): readonly ImportNote[] | null;
  /** Everything that was said of rows, as CSV, as it is read; null where the run's file is gone. */
  report(runId: string): AsyncIterable<string> | null;
  /** Removes uploads that are older than a moment. */
  removeOldUploads(beforeMs: number): void;
}
/** Where something is brought from. */
export type ImportPlace =
  | { readonly upload: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly database: string;
      readonly username: string;
      readonly password: string;
      readonly encrypted: boolean;
    };
/** How something is brought over, as somebody asks for it. */
export interface ImportChoices {
  readonly product: ImportProduct;
  readonly instance: string;
  readonly factor: number;
  readonly email: EmailRule;
  readonly names: NameRule;
  readonly settings: boolean;
  readonly currency: string;
  /** The zone of the source's times: `+02:00`. */
  readonly zone: string;
  readonly panel: string | null;
  /** Language of who has none in the source; absent: English. */
  readonly language?: Locale | undefined;
  /** Days that a renewal pays for there (Heliactyl); absent: they are not known. */
  readonly renewDays?: number | undefined;
}
/** Hears how far a task is. */
export type OnImportStep = (step: ImportStep, done: number) => void;
export type ImportOutcome = { readonly done: string } | { readonly fault: ImportFaultCode; readonly message: string };

/** Imports in a process of their own. Nothing here rejects; `done` is the id of the run. */
export interface ImportWorker {
  /** `key`: that of the old dashboard; absent: it has none. */
  check(
    asked: {
      readonly choices: ImportChoices;
      readonly place: ImportPlace;
      readonly key?: string | undefined;
      readonly by: string;
    },
    onStep: OnImportStep,
  ): Promise<ImportOutcome>;
  apply(runId: string, key: string | undefined, onStep: OnImportStep): Promise<ImportOutcome>;
  undo(runId: string, onStep: OnImportStep): Promise<ImportOutcome>;
  /** Ends what is running; it can be gone on with. */
  stop(): void;
}
