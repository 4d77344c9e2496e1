import { createTurnstile } from '../abuse/turnstile.ts';
import { createVpnProvider } from '../abuse/vpn-provider.ts';
import { kindOfAddress } from '../addresses.ts';
import { createLinkProviders } from '../link-providers/index.ts';
import type { Clock, Ids, Log, SignedIn } from '../modules/kernel.ts';
import type { PushOutcome } from '../modules/notifications/index.ts';
import { mailboxOf, MailboxFault, type OpenTheMailbox } from '../modules/ticket-mail/index.ts';
import type { ServiceTest } from '../modules/settings/index.ts';
import type { Outbound } from '../outbound.ts';
import { LINK_PROVIDERS, type LinkProviderId } from '#shared/link-providers.ts';
import { href } from '#shared/routes/href.ts';
import type { ServiceOutcome, TestedService } from '#shared/service-tests.ts';
import type { SettingValues } from '#shared/settings.ts';
import { BackupFault } from '../backups/fault.ts';
import type { Copies } from '../backups/remote/copies.ts';
import { callService, failureOf, textAt } from './call.ts';

interface Deps {
  readonly settings: { current(): SettingValues };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly appUrl: () => string;
  readonly outbound: Outbound;
  /** Sends an e-mail to the caller at once; see createTestMail. */
  readonly sendTestMail: (ctx: SignedIn) => Promise<{ readonly address: string; readonly fault: string | null }>;
  readonly mailServer: () => object | null;
  readonly openMailbox: OpenTheMailbox;
  /** Sends a push to the caller's newest browser; null: there is none. */
  readonly testPush: (ctx: SignedIn) => Promise<{ readonly device: string; readonly outcome: PushOutcome } | null>;
  /** Copies of backups in the storage elsewhere. */
  readonly backupCopies: Pick<Copies, 'test'>;
  /** Tries the storage of images; see tryImageStorage. */
  readonly tryImages: (name: string) => Promise<string>;
}

const NOT_SET: ServiceOutcome = { outcome: 'notSet', fact: null };
const basic = (name: string, secret: string): string => `Basic ${btoa(`${name}:${secret}`)}`;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
/** An address of the internet that a VPN look-up can be asked about. */
const SAMPLE_ADDRESS = '1.1.1.1';
/** No claim of anybody. */
const NO_CLAIM = '00000000-0000-7000-8000-000000000000';

/** Tries each service that the settings name by the call that the product makes of it, with what is stored. */
export function createTestsOfServices(deps: Deps): Readonly<Record<TestedService, ServiceTest>> {
  const links = Object.fromEntries(LINK_PROVIDERS.map((id) => [id, () => testLinks(deps, id)])) as unknown as Record<
    LinkProviderId,
    ServiceTest
  >;
  return {
    ...links,
    mail: (ctx) => testMail(deps, ctx),
    imap: () => testMailbox(deps),
    push: (ctx) => testBrowser(deps, ctx),
    discord: () => testDiscord(deps),
    turnstile: () => testTurnstile(deps),
    vpn: (ctx) => testVpn(deps, ctx),
    stripe: () => testStripe(deps),
    paypal: () => testPaypal(deps),
    s3: () => testStorage(() => deps.backupCopies.test(deps.ids.uuid())),
    imageS3: () => testStorage(() => deps.tryImages(deps.ids.uuid())),
  };
}

async function testMail({ mailServer, sendTestMail }: Deps, ctx: SignedIn): Promise<ServiceOutcome> {
  if (mailServer() === null) return NOT_SET;
  const { address, fault } = await sendTestMail(ctx);
  return fault === null ? { outcome: 'ok', fact: address } : { outcome: 'refused', fact: fault };
}

/** Opens the folder that answers to tickets come to. */
async function testMailbox({ settings, openMailbox }: Deps): Promise<ServiceOutcome> {
  const config = mailboxOf(settings.current());
  if (config === null) return NOT_SET;
  try {
    const box = await openMailbox(config);
    await box.close();
    return { outcome: 'ok', fact: `${config.folder}: ${box.mails}` };
  } catch (error) {
    if (!(error instanceof MailboxFault)) throw error;
    return { outcome: error.code === 'silent' ? 'silent' : 'refused', fact: error.message.slice(0, 200) };
  }
}

/** Sends a push to the caller's own browser. */
async function testBrowser({ testPush }: Deps, ctx: SignedIn): Promise<ServiceOutcome> {
  const tried = await testPush(ctx);
  if (tried === null) return NOT_SET;
  const { device, outcome } = tried;
  if ('error' in outcome) return { outcome: outcome.kind === 'never' ? 'refused' : 'silent', fact: outcome.error };
  return { outcome: outcome.kind === 'sent' ? 'ok' : 'refused', fact: device };
}

/** Whether Discord knows the application: a token for the application itself, which is thrown away. */
async function testDiscord({ settings, outbound }: Deps): Promise<ServiceOutcome> {
  const { discord_client_id: id, discord_client_secret: secret, discord_api_url: base } = settings.current();
  if (id === '' || secret === '') return NOT_SET;
  const answer = await callService(outbound, `${base}/oauth2/token`, {
    method: 'POST',
    headers: { ...FORM, Authorization: basic(id, secret) },
    body: 'grant_type=client_credentials&scope=identify',
  });
  if (answer?.status === 200 && textAt(answer.body, 'access_token') !== null) return { outcome: 'ok', fact: id };
  return failureOf(answer, textAt(answer?.body, 'error'));
}

/** A solution that is none: with the right secret only that is refused. */
async function testTurnstile({ settings, ids, log, outbound }: Deps): Promise<ServiceOutcome> {
  const { turnstile_secret: secret, turnstile_url: base, turnstile_site_key: key } = settings.current();
  if (secret === '' || key === '') return NOT_SET;
  const turnstile = createTurnstile({ log, fetch: outbound, uuid: () => ids.uuid() });
  const answer = await turnstile.verify({ secret, token: 'test', address: 'unknown', base });
  if (answer.kind === 'unknown') return { outcome: 'silent', fact: null };
  const wrongSecret = answer.kind === 'no' && answer.codes.some((code) => code.endsWith('input-secret'));
  return wrongSecret ? { outcome: 'refused', fact: answer.codes.join(', ') } : { outcome: 'ok', fact: null };
}

/** Asks about the caller's own address, where it is one of the internet. */
async function testVpn(deps: Deps, { address }: SignedIn): Promise<ServiceOutcome> {
  if (deps.settings.current().vpn_provider_url === '') return NOT_SET;
  const asked = address !== 'unknown' && kindOfAddress(address) === 'public' ? address : SAMPLE_ADDRESS;
  const verdict = await createVpnProvider({ ...deps, fetch: deps.outbound }).ask(asked);
  return verdict === 'unknown' ? { outcome: 'unclear', fact: asked } : { outcome: 'ok', fact: `${asked}: ${verdict}` };
}

/** Reads one checkout: the right that selling needs. */
async function testStripe({ settings, outbound }: Deps): Promise<ServiceOutcome> {
  const { stripe_secret_key: key, stripe_webhook_secret: hook, stripe_api_url: base } = settings.current();
  if (key === '' || hook === '') return NOT_SET;
  const answer = await callService(outbound, `${base}/v1/checkout/sessions?limit=1`, {
    headers: { Authorization: `Bearer ${key}`, Accept: 'application/json' },
  });
  if (answer?.status === 200) return { outcome: 'ok', fact: /^[rs]k_live_/.test(key) ? 'live' : 'test' };
  return failureOf(answer, textAt(answer?.body, 'error', 'code') ?? textAt(answer?.body, 'error', 'type'));
}

/** Gets a token, then looks at the webhook that payments are announced by. */
async function testPaypal({ settings, outbound }: Deps): Promise<ServiceOutcome> {
  const values = settings.current();
  const { paypal_client_id: id, paypal_client_secret: secret, paypal_webhook_id: hook, paypal_api_url: base } = values;
  if (id === '' || secret === '' || hook === '') return NOT_SET;
  const granted = await callService(outbound, `${base}/v1/oauth2/token`, {
    method: 'POST',
    headers: { ...FORM, Authorization: basic(id, secret) },
    body: 'grant_type=client_credentials',
  });
  const token = granted?.status === 200 ? textAt(granted.body, 'access_token') : null;
  if (token === null) return failureOf(granted, textAt(granted?.body, 'error'));
  const webhook = await callService(outbound, `${base}/v1/notifications/webhooks/${encodeURIComponent(hook)}`, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
  });
  if (webhook?.status === 200) return { outcome: 'ok', fact: textAt(webhook.body, 'url') };
  return failureOf(webhook, textAt(webhook?.body, 'name'));
}

/** Sends a small object, finds, reads and deletes it: everything that copies of backups need. */
async function testStorage(tried: () => Promise<string>): Promise<ServiceOutcome> {
  try {
    return { outcome: 'ok', fact: await tried() };
  } catch (error) {
    if (!(error instanceof BackupFault)) throw error;
    const outcomes = { remote_unset: 'notSet', remote_refused: 'refused', remote_failed: 'silent' } as const;
    const outcome = error.code in outcomes ? outcomes[error.code as keyof typeof outcomes] : 'unclear';
    return { outcome, fact: outcome === 'notSet' ? null : error.message };
  }
}

/** A provider that proves is asked about a proof that is none; another one makes a link of nobody's. */
async function testLinks(deps: Deps, id: LinkProviderId): Promise<ServiceOutcome> {
  const { appUrl, outbound, settings } = deps;
  const provider = createLinkProviders({ settings, fetch: outbound, userAgent: () => `Spawnpoint (+${appUrl()})` }).of(
    id,
  );
  if (!provider.ready) return NOT_SET;
  const target = `${appUrl()}${href('earn.links.return')}`;
  if (!provider.proves) {
    const made = await provider.createLink({ claimId: NO_CLAIM, target });
    if ('url' in made) return { outcome: 'ok', fact: made.url };
    return { outcome: made.failed === 'refused' ? 'refused' : 'silent', fact: made.answer.slice(0, 200) || null };
  }
  const verdict = await provider.check('0'.repeat(64), { claimId: NO_CLAIM, address: SAMPLE_ADDRESS });
  if (verdict.result === 'no') return { outcome: 'ok', fact: null };
  const outcome = verdict.result === 'fault' ? 'refused' : 'unclear';
  return { outcome, fact: verdict.answer.slice(0, 200) || null };
}
