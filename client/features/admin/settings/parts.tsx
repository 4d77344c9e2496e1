import { lazy, Suspense, useMemo } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Card, Facts } from '#client/ui/card.tsx';
import { Icon } from '#client/ui/icon.tsx';
import type { IconName } from '#client/ui/icons.ts';
import { href } from '#shared/routes/staff-href.ts';
import { SETTING_GROUPS, type SettingGroup } from '#shared/setting-rows.ts';
import { isSettingKey } from '#shared/settings.ts';
import { rowOf } from './form.ts';
import type { SettingsData } from './load.ts';
import { toLook, type ShownLook } from './shown-look.ts';
import { Setting } from './setting.tsx';
import type { SettingTexts } from './texts.ts';

const ICONS: Readonly<Record<SettingGroup, IconName>> = {
  general: 'sliders',
  appearance: 'palette',
  accounts: 'users',
  earning: 'clock',
  store: 'store',
  servers: 'server',
  payments: 'credit-card',
  mail: 'mail',
  integrations: 'plug',
  security: 'shield',
  legal: 'file',
  code: 'wrench',
  advanced: 'settings',
};

/** The address of a group of settings. */
const groupHref = (group: SettingGroup): string => `${href('admin.settings')}?group=${group}`;

/**
 * Scrolls the row that the groups are on phones, so that a link stands in its middle. `scrollIntoView` would bring it
 * out from behind what stays at the bottom of the screen as well, and move the page.
 */
function scrollRowTo(link: HTMLAnchorElement | null): void {
  const row = link?.parentElement;
  if (row) row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
}

/** The groups, each with an address of its own. */
export function GroupNav({ current, texts }: { current: SettingGroup | null; texts: SettingTexts }): ReactNode {
  const t = useT('staffSettings');
  return (
    <nav className="sp-set-groups sp-on-canvas" aria-label={t('groups')}>
      {SETTING_GROUPS.map((group) => (
        <Link
          key={group}
          to={groupHref(group)}
          aria-current={group === current ? 'page' : undefined}
          ref={group === current ? scrollRowTo : undefined}
        >
          <Icon name={ICONS[group]} />
          {texts.group(group)}
        </Link>
      ))}
    </nav>
  );
}

/** With what it takes to make colours of others: loaded once the page is there. */
const LookPreview = lazy(async () => ({ default: (await import('./look-preview.tsx')).LookPreview }));

/** Tries services by what is stored: loaded once the page is there. */
const ServiceTests = lazy(async () => ({ default: (await import('./service-tests.tsx')).ServiceTests }));

/** How pages will look; a place is kept for it until it is there. */
function Preview({ name, look }: { name: string; look: ShownLook }): ReactNode {
  const hydrated = useHydrated();
  const place = <div className="sp-looks" data-empty="" />;
  return <Suspense fallback={place}>{hydrated ? <LookPreview name={name} settings={look} /> : place}</Suspense>;
}

/** The settings of the look among rows; '' for those that are not there. */
function lookOf(rows: SettingsData['rows']): ShownLook {
  const value = (key: string): string => String(rows.find((row) => row.key === key)?.value ?? '');
  return toLook(value);
}

/** The way to this page without the host's own code. */
function SafeMode(): ReactNode {
  const t = useT('staffSettings');
  return (
    <div className="sp-set-env">
      <p className="sp-lead">{t('safeText')}</p>
      {/* A new document: what runs in this one would go on. */}
      <a className="sp-link" href={`${groupHref('code')}&safe=1`}>
        {t('safeOpen')}
      </a>
    </div>
  );
}

interface GroupCardsProps {
  readonly data: SettingsData;
  readonly texts: SettingTexts;
  readonly changed: ReadonlySet<string>;
}

/** The settings that are shown, a card a group, and what the environment sets beside them. */
export function GroupCards({ data, texts, changed }: GroupCardsProps): ReactNode {
  const t = useT('staffSettings');
  const name = String(useShell().settings.app_name ?? '');
  const look = useMemo(() => lookOf(data.rows), [data.rows]);
  const hydrated = useHydrated();
  const groups = SETTING_GROUPS.filter((group) =>
    data.rows.some(({ key }) => isSettingKey(key) && rowOf(key).group === group),
  );
  return groups.map((group) => (
    <Card key={group} title={texts.group(group)} text={texts.groupHelp(group)} flush>
      {group === 'appearance' && data.q === '' && <Preview name={name} look={look} />}
      {data.rows.map((row) =>
        isSettingKey(row.key) && rowOf(row.key).group === group ? (
          <Setting
            key={row.key}
            settingKey={row.key}
            row={row}
            currency={data.currency}
            changed={changed.has(row.key)}
            texts={texts}
          />
        ) : null,
      )}
      {group === 'code' && data.q === '' && <SafeMode />}
      {data.q === '' && hydrated && (
        <Suspense>
          <ServiceTests group={group} unsaved={changed.size > 0} />
        </Suspense>
      )}
      {data.q === '' && data.environment.length > 0 && (
        <div className="sp-set-env">
          <h3 className="sp-card__h3">{t('environment')}</h3>
          <p className="sp-lead">{t('environmentText')}</p>
          <Facts
            items={data.environment.map(({ name, value, is_set: isSet }) => ({
              label: <code>{name}</code>,
              value: value ?? t(isSet ? 'secretSet' : 'secretNone'),
            }))}
          />
        </div>
      )}
    </Card>
  ));
}
