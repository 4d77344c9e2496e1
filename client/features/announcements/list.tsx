import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Form } from '#client/ui/form.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { SegmentedLinks } from '#client/ui/segmented.tsx';
import { ANNOUNCEMENT_TAG_MAX } from '#shared/announcements.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/href.ts';
import { AnnouncementCard, AnnouncementGrid } from './card.tsx';

/** A page of the board; the address says which (`?tag=`, `unread=1`, `before=`). */
export async function loader(args: LoaderFunctionArgs) {
  const params = new URL(args.request.url).searchParams;
  const tag = (params.get('tag') ?? '').slice(0, ANNOUNCEMENT_TAG_MAX);
  const isUnread = params.get('unread') === '1';
  const before = PAST_CURSOR.test(params.get('before') ?? '') ? (params.get('before') ?? '') : '';
  const listed = await apiOf(args).announcements.list({
    query: {
      ...(tag === '' ? {} : { tag }),
      ...(isUnread ? { unread: '1' as const } : {}),
      ...(before === '' ? {} : { before }),
    },
  });
  return { ...listed, tag, isUnread, isFirst: before === '' };
}
type Data = Awaited<ReturnType<typeof loader>>;

/** Marks all as read. */
export async function action(args: ActionFunctionArgs) {
  await apiOf(args).announcements.markAllRead();
  return { ok: true };
}

interface Choice {
  readonly tag?: string;
  readonly isUnread?: boolean;
  readonly before?: string;
}
/** The address of a page of the board. */
function addressOf({ tag = '', isUnread = false, before = '' }: Choice): string {
  const params = new URLSearchParams({
    ...(tag === '' ? {} : { tag }),
    ...(isUnread ? { unread: '1' } : {}),
    ...(before === '' ? {} : { before }),
  }).toString();
  return params === '' ? href('announcement.list') : `${href('announcement.list')}?${params}`;
}

/** /announcements (behaviour 7.4) */
export default function AnnouncementsScreen(): ReactNode {
  const t = useT('announcements');
  const data = useLoaderData<typeof loader>();
  const { settings, session } = useShell();
  useLive(['session']);
  const { pinned, rows, older, unread, tag, isUnread, isFirst } = data;
  const [first, ...others] = pinned;
  const isEmpty = pinned.length === 0 && rows.length === 0;
  return (
    <Page>
      <PageHead
        title={t('title')}
        text={t('text', { name: String(settings.app_name ?? '') })}
        {...(unread > 0 && session.viewing === undefined ? { actions: <MarkAllRead /> } : {})}
      />
      {first && <AnnouncementCard announcement={first} to={href('announcement.view', { id: first.id })} wide />}
      <Choices data={data} />
      {isEmpty ? (
        <Card>
          <EmptyState
            as="h2"
            art="megaphone"
            title={t(isUnread ? 'allRead' : 'empty')}
            text={t(isUnread ? 'allReadText' : 'emptyText')}
          />
        </Card>
      ) : (
        <AnnouncementGrid announcements={[...others, ...rows]} toOf={(id) => href('announcement.view', { id })} />
      )}
      <CursorPager
        words="time"
        first={isFirst ? null : addressOf({ tag, isUnread })}
        previous={null}
        next={older === null ? null : addressOf({ tag, isUnread, before: older })}
      />
    </Page>
  );
}

function MarkAllRead(): ReactNode {
  const t = useT('announcements');
  return (
    <Form noSummary>
      <Button type="submit" icon="check">
        {t('markAllRead')}
      </Button>
    </Form>
  );
}

/** All, what is unread, and the tags there are. Nothing where there is nothing to choose. */
function Choices({ data: { tags, unread, tag, isUnread } }: { data: Data }): ReactNode {
  const t = useT('announcements');
  if (tags.length === 0 && unread === 0 && !isUnread && tag === '') return null;
  // The address may name one that is none of the most used.
  const shown = tag === '' || tags.includes(tag) ? tags : [...tags, tag];
  return (
    <SegmentedLinks
      label={t('show')}
      items={[
        { to: addressOf({}), label: t('all'), current: tag === '' && !isUnread },
        {
          to: addressOf({ isUnread: true }),
          label: t('unread'),
          current: isUnread,
          ...(unread > 0 ? { count: unread } : {}),
        },
        ...shown.map((each) => ({ to: addressOf({ tag: each }), label: each, current: each === tag })),
      ]}
    />
  );
}
