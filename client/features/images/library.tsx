import type { ReactNode } from 'react';
import { useLoaderData, useRevalidator } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure } from '#client/lib/form-action.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { ResourceMeter } from '#client/ui/resource-meter.tsx';
import { IMAGE_ID, IMAGE_ORDERS, IMAGES_AT_ONCE, type ImageOrder } from '#shared/images.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/href.ts';
import { useBytes } from './bytes.ts';
import { DropZone, UploadList } from './drop-zone.tsx';
import { ImageGrid, LibraryBar } from './grid.tsx';
import { useUploads } from './use-uploads.ts';

/** A page of one's images; the address says which: `?q=`, `?order=`, `?after=`. */
export async function loader(args: LoaderFunctionArgs) {
  const params = new URL(args.request.url).searchParams;
  const q = (params.get('q') ?? '').trim().slice(0, 100);
  const order: ImageOrder = IMAGE_ORDERS.find((each) => each === params.get('order')) ?? 'newest';
  const after = params.get('after') ?? '';
  const isFirst = !PAST_CURSOR.test(after);
  const page = await apiOf(args).images.list({ query: { q, order, ...(isFirst ? {} : { after }) } });
  return { ...page, q, order, isFirst };
}
export type LibraryData = Awaited<ReturnType<typeof loader>>;

/** Deletes the images that are ticked. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const ids = form
    .getAll('ids')
    .map(String)
    .filter((id) => IMAGE_ID.test(id));
  if (ids.length === 0 || form.get('sure') !== 'on') return { ok: true as const, deleted: 0 };
  try {
    const { deleted } = await apiOf(args).images.deleteMany({ body: { ids: ids.slice(0, IMAGES_AT_ONCE) } });
    return { ok: true as const, deleted };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /images (behaviour 5.5) */
export default function ImagesScreen(): ReactNode {
  const t = useT('images');
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Awaited<ReturnType<typeof action>>>();
  const errorText = useErrorText();
  const { revalidate } = useRevalidator();
  const uploads = useUploads(data.price, () => void revalidate());
  useLive(['images']);
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} />
      {answer && !answer.ok && (
        <Banner tone="danger" live>
          {errorText.code(answer.code)}
        </Banner>
      )}
      {answer?.ok && answer.deleted > 0 && (
        <Banner tone="positive" live>
          {t('deleted', { count: answer.deleted })}
        </Banner>
      )}
      <div className="sp-split">
        <div className="sp-stack">
          <DropZone price={data.price} uploads={uploads} />
          <UploadList uploads={uploads} />
          <Library data={data} />
        </div>
        <Space data={data} />
      </div>
    </Page>
  );
}

function Library({ data }: { data: LibraryData }): ReactNode {
  const t = useT('images');
  const { rows, q, order, isFirst, older } = data;
  if (rows.length === 0 && q === '' && isFirst)
    return (
      <Card>
        <EmptyState as="h2" art="image" title={t('empty')} text={t('emptyText')} />
      </Card>
    );
  const address = (after: string | null) => {
    const params = new URLSearchParams({ ...(q ? { q } : {}), ...(order === 'newest' ? {} : { order }) });
    if (after !== null) params.set('after', after);
    return params.size === 0 ? href('images') : `${href('images')}?${params.toString()}`;
  };
  return (
    <Card flush>
      <LibraryBar q={q} order={order} />
      {rows.length === 0 ? (
        <EmptyState
          as="h2"
          art="search"
          title={t('nothing')}
          text={t('nothingText')}
          action={<LinkButton to={href('images')}>{t('showAll')}</LinkButton>}
        />
      ) : (
        <ImageGrid rows={rows} />
      )}
      <CursorPager
        words="list"
        first={isFirst ? null : address(null)}
        previous={null}
        next={older === null ? null : address(older)}
      />
    </Card>
  );
}

function Space({ data: { space } }: { data: LibraryData }): ReactNode {
  const t = useT('images');
  const format = useFormat();
  const bytes = useBytes();
  const isFull = space.bytes >= space.most_bytes;
  return (
    <div className="sp-stack">
      {isFull && (
        <Banner
          tone="danger"
          action={
            <LinkButton size="sm" to={`${href('images')}?order=largest`}>
              {t('showLargest')}
            </LinkButton>
          }
        >
          {t('full')}
        </Banner>
      )}
      <Card title={t('space')}>
        <ResourceMeter label={t('used')} used={space.bytes} total={space.most_bytes} format={bytes} />
        <p className="sp-meta">{t('count', { count: space.images, amount: format.number(space.images) })}</p>
        {space.images > 0 && (
          <a className="sp-btn" data-size="sm" href="/api/images/archive" download>
            <Icon name="download" size="sm" />
            {t('downloadAll')}
          </a>
        )}
      </Card>
      <Card title={t('sharex')} text={t('sharexText')}>
        <LinkButton to={href('images.config')} icon="settings" block>
          {t('settings')}
        </LinkButton>
      </Card>
    </div>
  );
}
