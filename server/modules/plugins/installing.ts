import { DomainError, fieldError, type FieldCode } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { addedRequests, requestsOf, type PluginManifest, type PluginRequest } from '#shared/plugin-manifest.ts';
import { isBuiltIn, RESERVED_PLUGIN_NAMES, type PackageChange } from '#shared/plugins.ts';
import { can } from '#shared/permissions.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY } from '#shared/time.ts';
import { compareVersions } from '#shared/updates.ts';
import { EVENT_PATTERN, wantsEvent } from '#shared/webhooks.ts';
import { writeAudit } from '../audit/index.ts';
import { currentEventName, OUTSIDE_NAMES } from '../events/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertAmount, assertMay } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { PackageFaultCode, PackageReader } from './engine-ports.ts';
import type { Granted, KnownKey, PackageContent, PackageRow } from './package-ports.ts';
import { PLUGINS_TOPIC } from './registry.ts';
import { wordsOf } from './words.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: { current(): Pick<SettingValues, 'staff_amount_max'> };
  readonly reader: PackageReader;
  /** The product's own version. */
  readonly version: string;
  /** Reads what is stored anew. */
  readonly load: () => Promise<void>;
}
export type Installing = ReturnType<typeof createInstalling>;

/**
 * Who signed a package. `known`: by a key that was seen before; `new`: by one that was not; `other`: not by the key
 * that signed what is installed; `none`: nobody signed it.
 */
type SignatureState = 'known' | 'new' | 'other' | 'none';
/** A package that waits for the decision of staff. */
export interface PackageReview {
  readonly id: string;
  readonly manifest: PluginManifest;
  readonly name: string;
  readonly text: string;
  readonly size: number;
  readonly digest: string;
  readonly signature: SignatureState;
  /** The key that signed it; null: nobody did. */
  readonly signer: string | null;
  readonly known: KnownKey | null;
  /** What it asks for, and whether what is installed was not granted that. */
  readonly requests: readonly (PluginRequest & { readonly isNew: boolean })[];
  /** The version that it would replace; null: it is not installed. */
  readonly installed: string | null;
  /** What installing it would be, by that version. */
  readonly change: PackageChange;
  /** Credits a day that are granted to what is installed; null: none. */
  readonly grantedCredits: number | null;
}
/** What staff decided on a package. */
interface InstallDecision {
  /** Kinds of requests that are granted; all others are not. */
  readonly granted: readonly PluginRequest['kind'][];
  /** Credits a day, at most what it asks for; null: as many as it asks for, of an update no more than were granted. */
  readonly credits: number | null;
  /** It is taken although nobody signed it, or somebody else than before. */
  readonly unsigned: boolean;
}

/** How long a package waits for a decision. */
const UPLOAD_MS = DAY;
const FAULT_CODES: Readonly<Record<PackageFaultCode, FieldCode>> = {
  NOT_A_PACKAGE: 'PLUGIN_FILE',
  NO_MANIFEST: 'PLUGIN_FILE',
  TOO_LARGE: 'PLUGIN_TOO_LARGE',
  TOO_MANY_FILES: 'PLUGIN_TOO_LARGE',
  BAD_PATH: 'PLUGIN_PATH',
  BAD_MANIFEST: 'PLUGIN_MANIFEST',
  MISSING_FILE: 'PLUGIN_MANIFEST',
  BAD_SIGNATURE: 'PLUGIN_SIGNATURE',
};

/** Installing, updating and removing plugins of others (behaviour 8.8). Nothing of a package runs here. */
export function createInstalling(deps: Deps) {
  const { uow, clock, ids, reader, version, load } = deps;

  /**
   * Takes a package to look at. In: a ZIP. Out: its id. Throws FORBIDDEN, and VALIDATION_FAILED at `file` for what
   * cannot be installed.
   */
  async function upload(ctx: SignedIn, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    assertMay(ctx, 'admin.plugins.edit');
    const read = await reader.read(bytes);
    if ('fault' in read) throw fieldError('file', FAULT_CODES[read.fault]);
    const fault = manifestFault(read.manifest, version);
    if (fault) throw fieldError('file', fault);
    const id = ids.uuid();
    await uow.run(async (tx) => {
      await tx.pluginPackages.purgeUploads(clock.now() - UPLOAD_MS);
      await tx.pluginPackages.addUpload({ ...withCurrentEvents(read), id, createdMs: clock.now() });
    });
    return id;
  }

  /** A package as staff look at it. Throws FORBIDDEN, NOT_FOUND. */
  async function review(ctx: SignedIn, id: string): Promise<PackageReview> {
    assertMay(ctx, 'admin.plugins.edit');
    return uow.read(async (tx) => {
      const found = await tx.pluginPackages.findUpload(id);
      if (!found) throw new DomainError('NOT_FOUND');
      return toReview(tx, found, ctx.locale);
    });
  }

  /**
   * Installs a package in the place of what is installed of it: a new one is turned on, an update stays as it was. Out:
   * its identifier. Throws FORBIDDEN, NOT_FOUND; VALIDATION_FAILED at `unsigned` where that has to be said; of client
   * modules PERMISSION_NOT_HELD, and APPROVAL_REQUIRED for many credits.
   */
  function install(ctx: SignedIn, id: string, decision: InstallDecision): Promise<{ identifier: string }> {
    const done = runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.plugins.edit');
      const found = await tx.pluginPackages.findUpload(id);
      if (!found) throw new DomainError('NOT_FOUND');
      const { identifier } = found.manifest;
      const row = await tx.plugins.lock(identifier, clock.now());
      // Somebody else may have decided on it while this one waited.
      if (!(await tx.pluginPackages.findUpload(id))) throw new DomainError('NOT_FOUND');
      const before = await tx.pluginPackages.lock(identifier);
      const { signature } = await toReview(tx, found, ctx.locale);
      if ((signature === 'none' || signature === 'other') && !decision.unsigned)
        throw fieldError('unsigned', 'NOT_CONFIRMED');
      const granted = grantedBy(found.manifest, decision, before);
      if (granted.client && !can(ctx.actor.permissions, 'admin.root')) throw new DomainError('PERMISSION_NOT_HELD');
      assertAmount(ctx, deps.settings.current(), granted.credits ?? 0);
      const nowMs = clock.now();
      await tx.pluginPackages.save({
        ...found,
        identifier,
        granted,
        grantedMs: nowMs,
        grantedBy: ctx.actor.userId,
        installedMs: before?.installedMs ?? nowMs,
        updatedMs: nowMs,
        stopped: before?.stopped ?? null,
      });
      if (!before) await tx.plugins.save({ ...row, isOn: true, updatedMs: nowMs });
      if (found.signer !== null)
        await tx.pluginPackages.addKey(found.signer, { author: found.manifest.author ?? '', knownMs: nowMs });
      await tx.pluginPackages.removeUpload(id);
      await writeAudit(tx, deps, ctx, {
        action: before ? 'plugins.update' : 'plugins.install',
        target: identifier,
        before: before && auditOf(before),
        after: auditOf({ ...found, granted }),
      });
      tx.touch(PLUGINS_TOPIC);
      return { identifier };
    });
    return done.finally(load);
  }

  /** Gives a package up that waits for a decision. Throws FORBIDDEN. */
  async function discard(ctx: SignedIn, id: string): Promise<void> {
    assertMay(ctx, 'admin.plugins.edit');
    await uow.run((tx) => tx.pluginPackages.removeUpload(id));
  }

  /** Removes a plugin with its settings and everything that it keeps. Throws FORBIDDEN, NOT_FOUND. */
  async function remove(ctx: SignedIn, identifier: string): Promise<void> {
    await runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.plugins.edit');
      const before = await tx.pluginPackages.lock(identifier);
      if (!before) throw new DomainError('NOT_FOUND');
      await tx.pluginPackages.remove(identifier);
      await writeAudit(tx, deps, ctx, { action: 'plugins.delete', target: identifier, before: auditOf(before) });
      tx.touch(PLUGINS_TOPIC);
    });
    await load();
  }

  return { upload, review, install, grantor: grantorOf(uow), discard, remove };
}

/** Username of who granted a plugin what it may do; null: not known. Throws FORBIDDEN. */
const grantorOf =
  (uow: UnitOfWork) =>
  async (ctx: SignedIn, identifier: string): Promise<string | null> => {
    assertMay(ctx, 'admin.plugins.edit');
    return uow.read((tx) => tx.pluginPackages.grantor(identifier));
  };

async function toReview(
  tx: Tx,
  found: PackageContent & { readonly id: string },
  locale: Locale,
): Promise<PackageReview> {
  const { id, manifest, size, digest, signer } = found;
  const installed = await tx.pluginPackages.find(manifest.identifier);
  const known = signer === null ? null : await tx.pluginPackages.findKey(signer);
  const words = wordsOf(manifest, locale);
  return {
    id,
    manifest,
    name: words.name ?? manifest.name,
    text: words.text ?? manifest.text,
    size,
    digest,
    signer,
    known,
    signature: signatureOf(signer, known, installed),
    requests: requestsOf(manifest).map((each) => ({ ...each, isNew: isNew(installed, manifest, each) })),
    installed: installed?.manifest.version ?? null,
    change: changeOf(installed, manifest),
    grantedCredits: installed?.granted.credits ?? null,
  };
}

function signatureOf(signer: string | null, known: KnownKey | null, installed: PackageRow | null): SignatureState {
  if (installed && installed.signer !== null && installed.signer !== signer) return 'other';
  if (signer === null) return 'none';
  return known ? 'known' : 'new';
}

/** What installing a package would be, beside what is installed. */
function changeOf(installed: PackageRow | null, { version }: PluginManifest): PackageChange {
  if (!installed) return 'install';
  const later = compareVersions(version, installed.manifest.version);
  return later === 0 ? 'reinstall' : later > 0 ? 'update' : 'downgrade';
}

/**
 * Whether what is installed was not granted this. Of credits that it was granted, however few, only more than it asked
 * for is new.
 */
function isNew(installed: PackageRow | null, manifest: PluginManifest, request: PluginRequest): boolean {
  if (!installed) return true;
  const { client, ...permissions } = installed.granted;
  const credits = permissions.credits === undefined ? undefined : installed.manifest.permissions.credits;
  const had: PluginManifest = {
    ...manifest,
    permissions: { ...permissions, credits },
    client: client ? 'client.js' : undefined,
  };
  return addedRequests(had, manifest).some(({ kind, value }) => kind === request.kind && value === request.value);
}

/** A package that asks for events by the names they have now: one for an earlier version may name former ones. */
function withCurrentEvents(content: PackageContent): PackageContent {
  const { manifest } = content;
  const { events, ...permissions } = manifest.permissions;
  if (!events) return content;
  const current = [...new Set(events.map(currentEventName))];
  return { ...content, manifest: { ...manifest, permissions: { ...permissions, events: current } } };
}

/** Whether a plugin may hear this: the name of an event that goes outside, or a group of them (`user.*`). */
export const isPluginEvent = (each: string): boolean =>
  EVENT_PATTERN.test(each) && OUTSIDE_NAMES.some((name) => wantsEvent([each], name));

/** Why a product of this version does not install what a manifest says; null: it does. */
export function manifestFault({ identifier, needs, permissions }: PluginManifest, version: string): FieldCode | null {
  if (isBuiltIn(identifier) || RESERVED_PLUGIN_NAMES.includes(identifier)) return 'PLUGIN_TAKEN';
  if (compareVersions(version, needs) < 0) return 'PLUGIN_NEWER';
  return (permissions.events ?? []).map(currentEventName).every(isPluginEvent) ? null : 'PLUGIN_MANIFEST';
}

/** What is granted by a decision: at most what is asked for. */
function grantedBy(
  { permissions, client }: PluginManifest,
  { granted, credits }: InstallDecision,
  before: PackageRow | null,
): Granted {
  const has = (kind: PluginRequest['kind']): boolean => granted.includes(kind);
  const kept = Object.fromEntries(
    Object.entries(permissions).filter(([kind]) => kind !== 'credits' && has(kind as PluginRequest['kind'])),
  ) as Granted;
  const asked = permissions.credits ?? 0;
  const budget = has('credits') ? Math.min(asked, credits ?? before?.granted.credits ?? asked) : 0;
  return {
    ...kept,
    ...(budget > 0 ? { credits: budget } : {}),
    ...(client !== undefined && has('client') ? { client: true } : {}),
  };
}

/** What the audit log says of a package. */
const auditOf = ({ manifest, granted, signer }: Pick<PackageRow, 'manifest' | 'granted' | 'signer'>) => ({
  name: manifest.name,
  version: manifest.version,
  signer,
  granted: JSON.stringify(granted),
});
