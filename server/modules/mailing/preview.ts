import type { Locale } from '#shared/i18n/locales.ts';
import type { MailContent } from '#shared/mails.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY } from '#shared/time.ts';
import { deviceName } from '../audit/index.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { DARK_STYLE, LAYOUT_STYLE } from './layout.ts';
import type { MailTemplate, Moment } from './ports.ts';
import type { Mailing } from './service.ts';
import { variablesOf } from './template.ts';
import { findText, type MailTexts } from './texts.ts';

/** A mail with everything filled in, for looking at. */
export interface MailPreview {
  readonly subject: string;
  readonly text: string;
  /** Without styles at its elements: they stand in `data-style`, as pages allow none. */
  readonly html: string;
  readonly style: string;
  /** What mail programs in dark mode put over it. */
  readonly darkStyle: string;
  readonly to: string;
}
interface Deps {
  readonly clock: Clock;
  readonly mailing: Pick<Mailing, 'renderContent'>;
  readonly settings: { current(): Pick<SettingValues, 'server_renew_cost'> };
  readonly texts: (locale: Locale) => MailTexts;
}
/** What is filled in by a text of the language, with its key among the examples. */
const EXAMPLES = {
  passkey: 'passkey',
  token: 'token',
  reason: 'reason',
  subject: 'title',
  text: 'text',
  panel: 'panel',
  location: 'location',
  sentence: 'sentence',
  list: 'list',
} as const;

/** What is looked at, and whose data are filled in. */
interface Looked {
  readonly template: MailTemplate;
  readonly locale: Locale;
  readonly content: MailContent;
  readonly userId: string;
}

/** How a content looks to a user. */
export async function renderPreview(
  tx: Tx,
  deps: Deps,
  ctx: SignedIn,
  { template, locale, content, userId }: Looked,
): Promise<MailPreview> {
  const contact = await tx.identity.findContact(userId);
  const known = variablesOf(template);
  const vars = Object.fromEntries(
    Object.entries(await exampleOf(tx, deps, ctx, { locale, userId })).filter(
      ([key]) => key === 'path' || known.includes(key),
    ),
  );
  const rendered = deps.mailing.renderContent({ locale, content, vars, timeZone: contact?.timeZone });
  return toPreview(rendered, contact?.address ?? '');
}

/** A rendered mail as pages show it. In: also whom it would go to. */
export function toPreview(
  { subject, text, html }: { readonly subject: string; readonly text: string; readonly html: string },
  to: string,
): MailPreview {
  return {
    subject,
    text,
    html: html.replace(/<style>.*?<\/style>/s, '').replaceAll(' style="', ' data-style="'),
    style: LAYOUT_STYLE,
    darkStyle: DARK_STYLE,
    to,
  };
}

/** What is put in for a look at a mail: a user's data where there are any, the price as it is set, the caller's device. */
export async function exampleOf(
  tx: Tx,
  { clock, settings, texts }: Deps,
  ctx: SignedIn,
  { locale, userId }: Pick<Looked, 'locale' | 'userId'>,
): Promise<Record<string, string | number | Moment>> {
  const contact = await tx.identity.findContact(userId);
  const [server] = await tx.servers.listByUser(userId);
  const example = (key: string) => findText(texts, locale, ['example', key]);
  const nowMs = clock.now();
  return {
    name: contact?.firstName || contact?.username || '',
    path: '/dashboard',
    server: server?.name || example('server'),
    days: 3,
    credits: settings.current().server_renew_cost,
    when: { at: nowMs + 3 * DAY },
    until: { at: nowMs + 4 * DAY },
    device: deviceName(ctx.userAgent),
    address: ctx.address,
    code: '482913',
    number: '1042',
    provider: 'Discord',
    from: contact?.username ?? '',
    to: `${contact?.username ?? ''}.2`,
    ...Object.fromEntries(Object.entries(EXAMPLES).map(([name, key]) => [name, example(key)])),
  };
}
