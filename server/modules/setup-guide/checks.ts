import { sourceFacts, SOURCE_NAMES } from '#shared/earning-sources.ts';
import { LINK_PROVIDERS } from '#shared/link-providers.ts';
import { isSettingKey, type SettingValues } from '#shared/settings.ts';
import type { SetupCheck, SetupCheckCode } from '#shared/setup-guide.ts';
import type { Egg, Location } from '../catalog/ports.ts';
import type { PanelRow } from '../panels/ports.ts';

/** The newest backup that was verified and is sound, by its name, and the storage elsewhere; null: there is none. */
interface BackupStanding {
  readonly proven: string | null;
  readonly elsewhere: string | null;
}

/** What the checks are made from: everything that is known without asking anybody else. */
export interface SetupFacts {
  readonly values: SettingValues;
  /** Public address of the installation. */
  readonly appUrl: string;
  /** The origin by which the browser reached the page; empty: not known. */
  readonly origin: string;
  /** Where e-mails leave; null: nowhere. */
  readonly mailServer: { readonly host: string; readonly fromAddress: string } | null;
  /** Whether there is a panel inside. */
  readonly builtIn: boolean;
  /** Whether what runs its servers on this machine answers; null: they are imitated. */
  readonly node: boolean | null;
  readonly panels: readonly PanelRow[];
  readonly locations: readonly Location[];
  /** Those that are offered, in a category that is. */
  readonly eggs: readonly Egg[];
  readonly backup: BackupStanding;
}

const check = (code: SetupCheckCode, ok: boolean, fact: string | null = null): SetupCheck => ({
  code,
  state: ok ? 'ok' : 'failed',
  fact,
});
/** A check that keeps nothing from being done. */
const advice = (code: SetupCheckCode, ok: boolean, fact: string | null = null): SetupCheck => ({
  code,
  state: ok ? 'ok' : 'warning',
  fact,
});

/** Whether browsers reach the installation by HTTPS, at the address that its links have. */
export function checkAddress({ appUrl, origin }: SetupFacts): SetupCheck[] {
  return [
    check('https', origin.startsWith('https://'), origin || null),
    check('sameAddress', origin !== '' && origin === URL.parse(appUrl)?.origin, appUrl),
  ];
}

/** Whether a mail server is named; whether it takes e-mails is asked of itself. */
export function checkMailServer({ mailServer }: SetupFacts): SetupCheck[] {
  return [check('mailServer', mailServer !== null, mailServer?.host ?? null)];
}

/** The panel over HTTP that the guide judges: the first that is in use; undefined: there is none. */
export const findGuidePanel = (panels: readonly PanelRow[]): PanelRow | undefined =>
  panels.find(({ enabled }) => enabled);

/** Whether there is a panel to make servers at: one over HTTP by its last test, else the one inside, and what it runs. */
export function checkPanels({ panels, builtIn, node }: SetupFacts): SetupCheck[] {
  const panel = findGuidePanel(panels);
  if (!panel && !builtIn) return [check('panelBuiltIn', false)];
  if (!panel)
    return [check('panelBuiltIn', true), node === null ? advice('serversRun', false) : check('nodeAnswers', node)];
  const found = panel.checked && 'found' in panel.checked ? panel.checked.found : null;
  const lacking =
    found?.rights.filter(({ granted }) => !granted).map(({ right, level }) => `${right} (${level})`) ?? [];
  return [
    check('panelAnswers', found !== null, panel.name),
    ...(found ? [check('panelRights', lacking.length === 0, lacking.join(', ') || null)] : []),
  ];
}

/** Whether there is something to create a server from, and a place for it, for people without VIP. */
export function checkCatalogue({ locations, eggs, panels, builtIn }: SetupFacts): SetupCheck[] {
  const standing = new Set(panels.filter(({ enabled }) => enabled).map(({ id }) => id));
  const open = locations.filter(
    ({ online, vipOnly, panel }) => online && !vipOnly && (panel === null ? builtIn : standing.has(panel)),
  );
  const offered = eggs.filter(({ vipOnly }) => !vipOnly);
  return [check('location', open.length > 0, names(open)), check('egg', offered.length > 0, names(offered))];
}

/** Whether what a new user gets is enough for a server. */
export function checkNewUsers({ values, eggs }: SetupFacts): SetupCheck[] {
  const { default_ram: ram, default_disk: disk, default_cpu: cpu } = values;
  const fitting = eggs.filter(
    ({ vipOnly, minMemory, minDisk, minCpu }) => !vipOnly && minMemory <= ram && minDisk <= disk && minCpu <= cpu,
  );
  return [
    check('serverAllowed', values.allow_servers && values.default_server_slots > 0),
    check('serverFits', fitting.length > 0, names(fitting)),
  ];
}

/** Whether credits can be earned, and whether what is switched on has what it needs. */
export function checkEarning({ values }: SetupFacts): SetupCheck[] {
  const on = SOURCE_NAMES.filter((source) => {
    const key = sourceFacts(source).enabled;
    return isSettingKey(key) && values[key] === true;
  });
  const hasDiscord = values.discord_client_id !== '' && values.discord_client_secret !== '';
  const hasProvider = LINK_PROVIDERS.some((provider) => values[`link_${provider}_enabled`]);
  return [
    check('sourceOn', on.length > 0),
    ...(on.includes('j4r') ? [advice('discordApplication', hasDiscord)] : []),
    ...(on.includes('link') ? [advice('linkProvider', hasProvider)] : []),
  ];
}

/** Whether players can pay; that they need not is said where the step is skipped. */
export function checkPayments({ values }: SetupFacts): SetupCheck[] {
  const ways = [
    ...(values.stripe_enabled && values.stripe_secret_key !== '' && values.stripe_webhook_secret !== ''
      ? ['Stripe']
      : []),
    ...(values.paypal_enabled && values.paypal_client_id !== '' && values.paypal_client_secret !== ''
      ? ['PayPal']
      : []),
    ...(values.manual_payments_enabled && values.manual_payment_account !== '' ? [values.manual_payment_account] : []),
  ];
  return [check('paymentWay', values.credits_recharge_enabled && ways.length > 0, ways.join(', ') || null)];
}

/** Whether it is said who runs the installation, and by which texts. */
export function checkLegal({ values }: SetupFacts): SetupCheck[] {
  const { company_name: name, company_address: street, company_city: city, company_country: country } = values;
  return [
    check('company', [name, street, city, country].every(Boolean), name || null),
    advice('legalTexts', values.privacy_policy !== '' && values.terms_of_service !== ''),
  ];
}

/** Whether there is a backup that was restored for a test, one every day, and a copy elsewhere. */
export function checkBackup({ values, backup }: SetupFacts): SetupCheck[] {
  return [
    check('backupProven', backup.proven !== null, backup.proven),
    advice('backupDaily', values.backup_daily),
    advice('backupElsewhere', backup.elsewhere !== null, backup.elsewhere),
  ];
}

/** The first of some names; null where there are none. */
function names(rows: readonly { readonly name: string }[]): string | null {
  if (rows.length === 0) return null;
  const shown = rows.slice(0, 3).map(({ name }) => name);
  return shown.join(', ') + (rows.length > shown.length ? ' …' : '');
}
