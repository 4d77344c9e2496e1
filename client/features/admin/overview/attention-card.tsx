import { useContext, useRef, useState, type ReactNode } from 'react';
import { useFetcher } from 'react-router';
import { AttentionContext, type AttentionItem, type AttentionView } from '#client/lib/attention.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { rowFocus, usePageKeys } from '#client/lib/page-keys.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import type { IconName } from '#client/ui/icons.ts';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Menu, type MenuItem } from '#client/ui/menu.tsx';
import { attentionFacts, SNOOZE_HOURS, type AttentionKey } from '#shared/attention.ts';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ROUTES } from '#shared/routes/table.ts';
import { useItemText } from './item-text.ts';

const ICONS: Readonly<Record<AttentionKey, IconName>> = {
  ledgerFaults: 'wallet',
  machine: 'cpu',
  panelOutages: 'plug',
  unknownPayments: 'credit-card',
  paymentProblems: 'credit-card',
  failedServers: 'server',
  ordersToConfirm: 'receipt',
  disputes: 'flag',
  heldRewards: 'shield',
  tickets: 'chat',
  imageReports: 'flag',
  failedMails: 'mail',
  backups: 'archive',
  securityUpdate: 'download',
  drift: 'layers',
};

/** The most pressing first: what is broken before what waits, and of those alike what waits longest. */
function byUrgency(a: AttentionItem, b: AttentionItem): number {
  const weight = ({ key }: AttentionItem) => (attentionFacts(key).tone === 'danger' ? 0 : 1);
  return weight(a) - weight(b) || (a.since ?? '9').localeCompare(b.since ?? '9');
}

/**
 * What needs the visitor, each with its reason, its age and the one place where it is dealt with; what they put off
 * behind a button. In: what the page was loaded with; newer news of the layout replace it.
 */
export function AttentionCard({ loaded }: { loaded: AttentionView }): ReactNode {
  const t = useT('attention');
  const newer = useContext(AttentionContext);
  const [showsSnoozed, showSnoozed] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  useRowKeys(list);
  const { items } = newer && newer.at > loaded.at ? newer : loaded;
  const due = items.filter((item) => item.snoozed_until === null).toSorted(byUrgency);
  const snoozed = items.filter((item) => item.snoozed_until !== null).toSorted(byUrgency);
  const shown = showsSnoozed ? [...due, ...snoozed] : due;
  const foot = snoozed.length > 0 && (
    <div className="sp-row" data-justify="between">
      <span>{t('snoozed', { count: snoozed.length })}</span>
      <Button size="sm" variant="ghost" aria-expanded={showsSnoozed} onClick={() => showSnoozed(!showsSnoozed)}>
        {t(showsSnoozed ? 'hideSnoozed' : 'showSnoozed')}
      </Button>
    </div>
  );
  return (
    <Card
      title={t('title')}
      count={due.length > 0 ? due.length : undefined}
      aside={due.length > 1 ? <KeyHints /> : undefined}
      flush
      foot={foot || undefined}
    >
      {due.length === 0 && (
        <EmptyState art="circle-check" title={t('clear')} text={t(snoozed.length > 0 ? 'clearSnoozed' : 'clearText')} />
      )}
      {shown.length > 0 && (
        <ul className="sp-list" aria-label={t('title')} ref={list}>
          {shown.map((item, index) => (
            <Row key={item.id} item={item} first={index === 0 && due.length > 0} />
          ))}
        </ul>
      )}
    </Card>
  );
}

/** J and K move from item to item, S opens the menu of the one that has the focus; Enter follows its link by itself. */
function useRowKeys(list: { readonly current: HTMLUListElement | null }): void {
  usePageKeys((key) => {
    const rows = [...(list.current?.children ?? [])];
    const { at, move } = rowFocus(rows);
    if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1);
    else if (key === 's' && at >= 0) rows[at]?.querySelector<HTMLElement>('[aria-haspopup="menu"]')?.click();
    else return false;
    return true;
  });
}

function KeyHints(): ReactNode {
  const t = useT('attention');
  return (
    <span className="sp-need__keys" aria-hidden="true">
      <kbd className="sp-kbd">J</kbd> <kbd className="sp-kbd">K</kbd> {t('keyMove')}
      <kbd className="sp-kbd">↵</kbd> {t('keyOpen')}
      <kbd className="sp-kbd">S</kbd> {t('keySnooze')}
    </span>
  );
}

/** Where an item is dealt with: an outage at its panel, for those who may edit it. */
function useTarget(): (item: AttentionItem) => string {
  const { permissions } = useShell().session;
  return ({ key, data }) => {
    const { route, suffix = '' } = attentionFacts(key);
    const panel = data.panel_id;
    return key === 'panelOutages' && typeof panel === 'string' && can(permissions, ROUTES['admin.panels.edit'].guard)
      ? href('admin.panels.edit', { id: panel })
      : `${ROUTES[route].path}${suffix}`;
  };
}

function Row({ item, first }: { item: AttentionItem; first: boolean }): ReactNode {
  const t = useT('attention');
  const format = useFormat();
  const texts = useItemText();
  const target = useTarget();
  const nowMs = useNow(60_000);
  const fetcher = useFetcher<FormResult<null>>();
  const errors = useErrorText();
  const { key, count, since, snoozed_until: snoozed } = item;
  const title = texts.title(item);
  const send = (fields: Record<string, string>) =>
    void fetcher.submit({ item: item.id, ...fields }, { method: 'post' });
  const menu: MenuItem[] =
    snoozed === null
      ? SNOOZE_HOURS.map((hours) => ({
          id: String(hours),
          label: t(`snoozeFor.${hours}`),
          icon: 'clock',
          onSelect: () => send({ hours: String(hours) }),
        }))
      : [{ id: 'unsnooze', label: t('unsnooze'), icon: 'bell', onSelect: () => send({}) }];
  return (
    <li className="sp-need" data-snoozed={snoozed !== null || undefined}>
      <span className="sp-list__icon" data-tone={snoozed === null ? attentionFacts(key).tone : undefined}>
        <Icon name={ICONS[key]} />
      </span>
      <div className="sp-need__text">
        <h3 className="sp-need__title">{title}</h3>
        <p className="sp-need__sub">
          {snoozed === null ? texts.detail(item) : t('snoozedUntil', { time: format.dateTime(snoozed) })}
        </p>
      </div>
      <p className="sp-need__age">
        {since !== null && (
          <>
            <time className="sp-num" dateTime={since}>
              {format.duration(Math.max(60_000, Math.floor((nowMs - Date.parse(since)) / 60_000) * 60_000))}
            </time>
            {count > 1 && <span>{t('oldest')}</span>}
          </>
        )}
      </p>
      <div className="sp-need__act">
        <LinkButton to={target(item)} size="sm" variant={first ? 'primary' : 'secondary'}>
          {t(`action.${key}`)}
        </LinkButton>
        <Menu label={t('more', { what: title })} size="sm" items={menu} />
      </div>
      {fetcher.data?.ok === false && (
        <div className="sp-need__error">
          <Banner tone="danger" live>
            {errors.code(fetcher.data.code)}
          </Banner>
        </div>
      )}
    </li>
  );
}
