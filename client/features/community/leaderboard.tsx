import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Avatar } from '#client/ui/avatar.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { Tabs } from '#client/ui/tabs.tsx';
import { BOARDS, isBoard, PODIUM_SIZE, type Board } from '#shared/leaderboard.ts';
import { href } from '#shared/routes/href.ts';
import { PlayerName } from './player-name.tsx';
import { Podium } from './podium.tsx';
import { Score } from './score.tsx';

/** One board; the address says which (`?board=`). */
export async function loader(args: LoaderFunctionArgs) {
  const asked = new URL(args.request.url).searchParams.get('board');
  return apiOf(args).leaderboard.get({ query: isBoard(asked) ? { board: asked } : {} });
}
type Data = Awaited<ReturnType<typeof loader>>;
export type LeaderboardEntry = Data['places'][number];

/** /leaderboard (behaviour 7.1) */
export default function LeaderboardScreen(): ReactNode {
  const t = useT('community');
  const data = useLoaderData<typeof loader>();
  useLive(['balance']);
  return (
    <Page>
      <PageHead title={t('boardTitle')} text={t('boardText')} />
      <section className="sp-card sp-board" aria-label={t(`board.${data.board}`)}>
        <Tabs
          label={t('boards')}
          items={BOARDS.map((board) => ({
            to: board === 'credits' ? href('leaderboard') : `${href('leaderboard')}?board=${board}`,
            label: t(`board.${board}`),
            current: board === data.board,
          }))}
        />
        {data.places.length === 0 ? (
          <EmptyState art="trophy" as="h2" title={t('boardEmpty')} text={t('boardEmptyText')} />
        ) : (
          <Ranking data={data} />
        )}
        <OwnRank data={data} />
      </section>
    </Page>
  );
}

function Ranking({ data }: { data: Data }): ReactNode {
  const t = useT('community');
  const rest = data.places.slice(PODIUM_SIZE);
  return (
    <>
      <Podium label={t('podium')} board={data.board} places={data.places.slice(0, PODIUM_SIZE)} />
      {rest.length > 0 && (
        <ol className="sp-places" aria-label={t('placesFrom', { rank: PODIUM_SIZE + 1 })}>
          {rest.map((place) => (
            <RankRow key={place.id} board={data.board} place={place} />
          ))}
        </ol>
      )}
    </>
  );
}

function RankRow({ board, place }: { board: Board; place: LeaderboardEntry }): ReactNode {
  const t = useT('community');
  const format = useFormat();
  const { session } = useShell();
  const own = place.id === session.user?.id;
  return (
    <li className="sp-places__row" data-own={own || undefined}>
      <span className="sp-places__rank">{format.number(place.rank)}</span>
      <span className="sp-board__player">
        <Avatar name={place.username} size="sm" />
        <PlayerName person={place} />
        {own && <span className="sp-muted">{t('you')}</span>}
      </span>
      <Score board={board} value={place.score} />
    </li>
  );
}

/** The visitor's own rank, and how the board is counted. */
function OwnRank({ data }: { data: Data }): ReactNode {
  const t = useT('community');
  const format = useFormat();
  const { own, board, players } = data;
  return (
    <footer className="sp-board__own">
      {own.rank !== null && (
        <p className="sp-board__me">
          <b>{t('ownRank', { rank: format.number(own.rank) })}</b>
          <Score board={board} value={own.score} />
        </p>
      )}
      <p className="sp-meta">
        {own.hidden ? (
          <>
            {t('ownHidden')} <TextLink to={`${href('account')}?tab=privacy`}>{t('changePrivacy')}</TextLink>
          </>
        ) : (
          <OwnRankText own={own} />
        )}{' '}
        {t('countedAmong', { count: players, number: format.number(players) })}
      </p>
    </footer>
  );
}

function OwnRankText({ own }: { own: Data['own'] }): ReactNode {
  const t = useT('community');
  const format = useFormat();
  if (own.rank === null) return t('ownNone');
  if (own.to_next === null) return t('ownFirst');
  return t('toNext', { count: own.to_next, number: format.number(own.to_next) });
}
