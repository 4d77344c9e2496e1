import type { ReactNode } from 'react';
import { useFormat, useT, type Format } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { NameBadge } from '#client/ui/name-badge.tsx';
import { ResourceMeter } from '#client/ui/resource-meter.tsx';
import { Status, type StatusShape } from '#client/ui/status.tsx';
import { RESOURCE_KINDS, type ResourceKind } from '#shared/constants.ts';
import { LOCALE_INFO, toLocale } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { UserData } from './edit.tsx';

/** The shape of each state of an account. */
export const STATE_SHAPES = { active: 'active', banned: 'paused', deleted: 'off' } as const satisfies Readonly<
  Record<string, StatusShape>
>;

/** An amount of a kind of resource in words. */
export function resourceText(kind: ResourceKind, n: number, format: Format): string {
  if (kind === 'memory' || kind === 'disk') return format.memory(n);
  return kind === 'cpu' ? format.percent(n / 100) : format.number(n);
}

/** Text keys of an address's confirmation, the same as on the player's own page. */
const CONFIRMATION = { confirmed: 'confirmed', pending: 'unconfirmed', not_asked: 'notAsked' } as const;

/** The user's identity in brief. */
export function IdentityCard({ user }: { user: UserData }): ReactNode {
  const t = useT('users');
  const format = useFormat();
  const until =
    user.banned_until === null ? t('bannedForGood') : t('bannedUntil', { date: format.dateTime(user.banned_until) });
  return (
    <Card title={t('identity')}>
      <Facts
        items={[
          { label: t('name'), value: `${user.first_name} ${user.last_name}`.trim() || user.username },
          {
            label: t('email'),
            value: (
              <>
                {user.email} <span className="sp-muted">{t(CONFIRMATION[user.confirmation])}</span>
              </>
            ),
          },
          { label: t('role'), value: user.role.name },
          { label: t('badge'), value: <OwnBadge badge={user.badge} /> },
          {
            label: t('standing'),
            value: (
              <>
                <Status shape={STATE_SHAPES[user.status]}>{t(`state.${user.status}`)}</Status>{' '}
                {user.status === 'banned' && until}
              </>
            ),
          },
          ...(user.ban_reason ? [{ label: t('banReason'), value: user.ban_reason }] : []),
          { label: t('language'), value: LOCALE_INFO[toLocale(user.locale)].name },
          ...(user.time_zone === null ? [] : [{ label: t('timeZone'), value: user.time_zone }]),
          ...(user.support_pin === null
            ? []
            : [
                {
                  label: t('supportPin'),
                  value: t('supportPinUntil', {
                    pin: user.support_pin.pin.replace(/^(...)/, '$1 '),
                    date: format.dateTime(user.support_pin.expires_at),
                  }),
                },
              ]),
          ...(user.referrer === null
            ? []
            : [
                {
                  label: t('referrer'),
                  value: (
                    <TextLink to={href('admin.users.edit', { id: user.referrer.id })}>
                      {user.referrer.username}
                    </TextLink>
                  ),
                },
              ]),
          { label: t('registered'), value: format.dateTime(user.created_at) },
          { label: t('lastSeen'), value: user.seen_at === null ? t('notSeen') : format.dateTime(user.seen_at) },
        ]}
      />
    </Card>
  );
}

/** The badge that the user chose to have beside their name. */
function OwnBadge({ badge }: { badge: UserData['badge'] }): ReactNode {
  const t = useT('users');
  if (badge === null) return <span className="sp-muted">{t('badgeNone')}</span>;
  return badge.kind === 'role' ? <NameBadge badge={badge} /> : <Badge tone="accent">{t('badgeSupporter')}</Badge>;
}

/** How much of each limit is in use. */
export function LimitsCard({ limits }: { limits: UserData['limits'] }): ReactNode {
  const t = useT('users');
  const format = useFormat();
  return (
    <Card title={t('limits')}>
      <div className="sp-stack" data-gap="3">
        {RESOURCE_KINDS.map((kind) => (
          <ResourceMeter
            key={kind}
            label={t(`resource.${kind}`)}
            used={limits[kind].used}
            total={limits[kind].limit}
            format={(n) => resourceText(kind, n, format)}
          />
        ))}
      </div>
    </Card>
  );
}
