import type { ReactNode } from 'react';
import { Form, useLoaderData, useSearchParams } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Select } from '#client/ui/select.tsx';
import { Status } from '#client/ui/status.tsx';
import { Tabs } from '#client/ui/tabs.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { ANNOUNCEMENT_AUDIENCES, ANNOUNCEMENT_STATES } from '#shared/announcements.ts';
import { can } from '#shared/can.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ANNOUNCEMENT_SHAPES } from './state.ts';

/** A page of the list; the address says which (`?state=`, `audience=`, `q=`, `before=`). */
export async function loader(args: LoaderFunctionArgs) {
  const params = new URL(args.request.url).searchParams;
  const state = ANNOUNCEMENT_STATES.find((each) => each === params.get('state')) ?? null;
  const audience = ANNOUNCEMENT_AUDIENCES.find((each) => each === params.get('audience')) ?? null;
  const q = (params.get('q') ?? '').trim().slice(0, 100);
  const before = PAST_CURSOR.test(params.get('before') ?? '') ? (params.get('before') ?? '') : '';
  const listed = await apiOf(args).adminAnnouncements.list({
    query: {
      q,
      ...(state === null ? {} : { state }),
      ...(audience === null ? {} : { audience }),
      ...(before === '' ? {} : { before }),
    },
  });
  return { ...listed, wanted: { state, audience, q }, isFirst: before === '' };
}
type Data = Awaited<ReturnType<typeof loader>>;
type Row = Data['rows'][number];

/** The address of a page of the list. */
function addressOf({ state, audience, q }: Data['wanted'], before = ''): string {
  const params = new URLSearchParams({
    ...(state === null ? {} : { state }),
    ...(audience === null ? {} : { audience }),
    ...(q === '' ? {} : { q }),
    ...(before === '' ? {} : { before }),
  }).toString();
  return params === '' ? href('admin.announcements.list') : `${href('admin.announcements.list')}?${params}`;
}

/** /mc-admin/announcements (behaviour 7.4) */
export default function StaffAnnouncementsScreen(): ReactNode {
  const t = useT('staffAnnouncements');
  const { rows, older, wanted, isFirst } = useLoaderData<typeof loader>();
  const { state, audience, q } = wanted;
  const isNarrowed = q !== '' || audience !== null || state !== null;
  const [search] = useSearchParams();
  const columns = useColumns();
  const { permissions } = useShell().session;
  const create = can(permissions, 'admin.announcements.create') ? (
    <LinkButton to={href('admin.announcements.create')} variant="primary" icon="plus">
      {t('create')}
    </LinkButton>
  ) : undefined;
  return (
    <Page>
      <PageHead title={t('list')} text={t('listText')} crumbs={useCrumbs()} actions={create} />
      {search.get('done') === 'delete' && (
        <Banner tone="positive" live>
          {t('deleted')}
        </Banner>
      )}
      <Card flush>
        <Tabs
          label={t('states')}
          items={[null, ...ANNOUNCEMENT_STATES].map((each) => ({
            to: addressOf({ ...wanted, state: each }),
            label: each === null ? t('all') : t(`state.${each}`),
            current: each === state,
          }))}
        />
        <Filters wanted={wanted} key={`${q} ${audience ?? ''} ${state ?? ''}`} />
        <DataTable
          phone="lines"
          caption={t('list')}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.title}
          state={
            isNarrowed ? (
              <EmptyState as="h2" art="search" title={t('nothing')} text={t('nothingText')} />
            ) : (
              <EmptyState as="h2" art="megaphone" title={t('empty')} text={t('emptyText')} />
            )
          }
        />
      </Card>
      <CursorPager
        words="time"
        first={isFirst ? null : addressOf(wanted)}
        previous={null}
        next={older === null ? null : addressOf(wanted, older)}
      />
    </Page>
  );
}

/** Search by title or tag, and whom they are for. Works without scripts. */
function Filters({ wanted: { state, audience, q } }: { wanted: Data['wanted'] }): ReactNode {
  const t = useT('staffAnnouncements');
  const ui = useT('ui');
  return (
    <search>
      <Form className="sp-filterbar">
        {state !== null && <input type="hidden" name="state" value={state} />}
        <span className="sp-input-group" data-icon="">
          <Icon name="search" size="sm" />
          <TextInput
            type="search"
            name="q"
            aria-label={t('search')}
            placeholder={t('search')}
            defaultValue={q}
            maxLength={100}
          />
        </span>
        <Select
          name="audience"
          size="sm"
          aria-label={t('audience')}
          defaultValue={audience ?? ''}
          onChange={(event) => event.currentTarget.form?.requestSubmit()}
          options={[
            { value: '', label: t('audienceAny') },
            ...ANNOUNCEMENT_AUDIENCES.map((value) => ({ value, label: t(`audiences.${value}`) })),
          ]}
        />
        <noscript>
          <Button type="submit" size="sm">
            {ui('apply')}
          </Button>
        </noscript>
      </Form>
    </search>
  );
}

function useColumns(): readonly Column<Row>[] {
  const t = useT('staffAnnouncements');
  const format = useFormat();
  const { permissions } = useShell().session;
  const opens = can(permissions, 'admin.announcements.edit');
  return [
    {
      key: 'title',
      label: t('title'),
      title: true,
      wrap: true,
      cell: ({ id, title, locales, pinned, urgent, tags }) => (
        <span className="sp-mailrow">
          {opens ? <TextLink to={href('admin.announcements.edit', { id })}>{title}</TextLink> : title}
          <span className="sp-mailrow__badges">
            {urgent && <Badge tone="warning">{t('urgent')}</Badge>}
            {pinned && <Badge tone="positive">{t('isPinned')}</Badge>}
            {tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </span>
          <small>{locales.map((locale) => LOCALE_INFO[locale].name).join(' · ')}</small>
        </span>
      ),
    },
    {
      key: 'state',
      label: t('stateLabel'),
      cell: ({ state }) => <Status shape={ANNOUNCEMENT_SHAPES[state]}>{t(`state.${state}`)}</Status>,
    },
    { key: 'audience', label: t('audience'), cell: ({ audience }) => t(`audiences.${audience}`) },
    {
      key: 'publish',
      label: t('publishAt'),
      cell: ({ publish_at: at }) => (at === null ? '–' : <time dateTime={at}>{format.dateTime(at)}</time>),
    },
    { key: 'seen', label: t('seen'), align: 'end', phone: 'labelled', cell: ({ seen }) => format.number(seen) },
  ];
}
