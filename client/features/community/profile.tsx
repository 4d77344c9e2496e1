import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Avatar } from '#client/ui/avatar.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { NameBadge } from '#client/ui/name-badge.tsx';
import { Page } from '#client/ui/page.tsx';
import { SkinHead } from '#client/ui/skin-head.tsx';
import { SkinView } from '#client/ui/skin-view.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { BOARDS } from '#shared/leaderboard.ts';
import { href } from '#shared/routes/href.ts';
import { DEFAULT_SKIN } from '#shared/skin.ts';
import { Backdrop } from './backdrop.tsx';
import { Score } from './score.tsx';

/** The visible parts of a profile. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).profiles.get({ params: { id: String(args.params.id) } });
}
type Data = Awaited<ReturnType<typeof loader>>;

/** The document's title begins with it. */
export const pageName = ({ username }: Data): string => username;

/** /profile/:uuid (behaviour 7.2) */
export default function ProfileScreen(): ReactNode {
  const t = useT('community');
  const data = useLoaderData<typeof loader>();
  const privacy = `${href('account')}?tab=privacy`;
  return (
    <Page>
      {data.own && (
        <Banner tone="info" action={<TextLink to={privacy}>{t('changePrivacy')}</TextLink>}>
          {data.public ? t('ownProfile') : t('ownProfileHidden')}
        </Banner>
      )}
      <article className="sp-card sp-profile">
        <Backdrop motif={data.background} />
        <div className="sp-profile__body" data-skin={data.fields.includes('skin') || undefined}>
          <Head data={data} />
          {data.fields.includes('skin') && (
            <div className="sp-profile__skin">
              <SkinView src={data.skin ?? DEFAULT_SKIN} label={t('skinOf', { name: data.username })} />
            </div>
          )}
          <Numbers data={data} />
          {data.giftable && (
            <div className="sp-btn-row">
              <LinkButton variant="primary" icon="gift" to={href('profile.gift', { id: data.id })}>
                {t('sendGift')}
              </LinkButton>
            </div>
          )}
        </div>
      </article>
    </Page>
  );
}

function Head({ data }: { data: Data }): ReactNode {
  const t = useT('community');
  const format = useFormat();
  return (
    <header className="sp-profile__head">
      <span className="sp-profile__picture">
        {data.avatar === 'head' ? (
          <SkinHead src={data.skin ?? DEFAULT_SKIN} size="lg" />
        ) : (
          <Avatar name={data.username} size="lg" />
        )}
      </span>
      <div className="sp-profile__name">
        <h1>{data.username}</h1>
        <NameBadge badge={data.badge} />
        {data.role && data.badge?.kind !== 'role' && <Badge>{data.role.name}</Badge>}
        {data.supporter === true && data.badge?.kind !== 'supporter' && <Badge tone="accent">{t('supporter')}</Badge>}
      </div>
      {data.since !== null && <p className="sp-meta">{t('memberSince', { date: format.date(data.since) })}</p>}
    </header>
  );
}

/** The numbers that the owner chose to show. */
function Numbers({ data }: { data: Data }): ReactNode {
  const t = useT('community');
  const format = useFormat();
  const shown = BOARDS.flatMap((board) => {
    const value = data[board];
    return value === null ? [] : [{ board, value }];
  });
  if (shown.length === 0 && data.rank === null) return null;
  return (
    <Stats>
      {data.rank !== null && <StatTile label={t('rank')} value={format.number(data.rank)} note={t('rankNote')} />}
      {shown.map(({ board, value }) => (
        <StatTile
          key={board}
          label={t(`board.${board}`)}
          value={
            board === 'credits' || board === 'month' ? <Score board={board} value={value} /> : format.number(value)
          }
        />
      ))}
    </Stats>
  );
}
