import type { ReactNode } from 'react';
import { Form, redirect, useFetcher, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useErrorText } from '#client/lib/error-text.ts';
import { Banner } from '#client/ui/banner.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import type { LibraryImageView } from '#shared/contract/admin-images.ts';
import { IMAGE_NAME_MAX } from '#shared/images.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/staff-href.ts';

/** A page of the library; the address says which: `?q=`, `?after=`. */
export async function loader(args: LoaderFunctionArgs) {
  const params = new URL(args.request.url).searchParams;
  const q = (params.get('q') ?? '').trim().slice(0, 100);
  const after = params.get('after') ?? '';
  const isFirst = !PAST_CURSOR.test(after);
  return { ...(await apiOf(args).adminImages.list({ query: { q, ...(isFirst ? {} : { after }) } })), q, isFirst };
}

/** Gives an image another name, and shows the same page of the library again. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const form = await args.request.formData();
  const { search } = new URL(args.request.url);
  try {
    await apiOf(args).adminImages.rename({
      params: { id: String(form.get('id') ?? '') },
      body: { name: String(form.get('name') ?? '') },
    });
    return redirect(href('admin.images.list') + search);
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /mc-admin/images */
export default function LibraryScreen(): ReactNode {
  const t = useT('libraryImages');
  const shared = useT('images');
  const { rows, older, q, isFirst } = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const add = can(permissions, 'admin.images.create') && (
    <LinkButton to={href('admin.images.create')} variant="primary" icon="plus">
      {t('add')}
    </LinkButton>
  );
  const address = (after: string | null) => {
    const params = new URLSearchParams({ ...(q ? { q } : {}), ...(after === null ? {} : { after }) });
    return params.size === 0 ? href('admin.images.list') : `${href('admin.images.list')}?${params.toString()}`;
  };
  const isEmpty = rows.length === 0 && q === '' && isFirst;
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} crumbs={useCrumbs()} {...(isEmpty ? {} : { actions: add })} />
      <Card flush>
        {!isEmpty && (
          <search>
            <Form className="sp-filterbar" key={q}>
              <span className="sp-input-group" data-icon="">
                <Icon name="search" size="sm" />
                <TextInput type="search" name="q" aria-label={t('search')} placeholder={t('search')} defaultValue={q} />
              </span>
              <noscript>
                <Button type="submit" size="sm">
                  {shared('apply')}
                </Button>
              </noscript>
            </Form>
          </search>
        )}
        {isEmpty ? (
          <EmptyState as="h2" art="image" title={t('empty')} text={t('emptyText')} action={add} />
        ) : rows.length === 0 ? (
          <EmptyState as="h2" art="search" title={shared('nothing')} text={shared('nothingText')} />
        ) : (
          <ul className="sp-imgs">
            {rows.map((image) => (
              <LibraryTile
                key={image.id}
                image={image}
                mayEdit={can(permissions, 'admin.images.edit')}
                mayDelete={can(permissions, 'admin.images.delete')}
              />
            ))}
          </ul>
        )}
        <CursorPager
          words="list"
          first={isFirst ? null : address(null)}
          previous={null}
          next={older === null ? null : address(older)}
        />
      </Card>
    </Page>
  );
}

interface TileProps {
  readonly image: LibraryImageView;
  readonly mayEdit: boolean;
  readonly mayDelete: boolean;
}

function LibraryTile({ image, mayEdit, mayDelete }: TileProps): ReactNode {
  const t = useT('libraryImages');
  const shared = useT('images');
  const format = useFormat();
  const errors = useErrorText();
  const fetcher = useFetcher<FormFailure>();
  const { settings } = useShell();
  const { id, name, url, forms, width, height, by } = image;
  const facts = [shared('size', { width, height }), by === null ? '' : t('by', { name: by })].filter(Boolean);
  return (
    <li className="sp-img">
      <a className="sp-img__pic" href={url}>
        <img
          src={forms[0]?.url}
          srcSet={forms.map((form) => `${form.url} ${form.width}w`).join(', ')}
          sizes="(max-width: 767px) 45vw, 16rem"
          alt=""
          loading="lazy"
          decoding="async"
        />
        <span className="sp-sr">{name}</span>
      </a>
      <span className="sp-img__text">
        <span className="sp-img__name" title={name}>
          {name}
        </span>
        <span className="sp-meta">{facts.join(' · ')}</span>
        <span className="sp-meta">{format.date(image.created_at)}</span>
        <CopyButton text={`${String(settings.app_url).replace(/\/$/, '')}${url}`} what={t('copyWhat', { name })}>
          {t('copyAddress')}
        </CopyButton>
      </span>
      <span className="sp-img__act">
        {mayEdit && <Rename image={image} fetcher={fetcher} />}
        {mayDelete && (
          <LinkButton
            to={href('admin.images.delete', { id })}
            size="sm"
            variant="ghost"
            icon="trash"
            aria-label={t('deleteWhat', { name })}
          />
        )}
      </span>
      {fetcher.data?.ok === false && (
        <div className="sp-img__error">
          <Banner tone="danger" live>
            {errors.code(fetcher.data.code)}
          </Banner>
        </div>
      )}
    </li>
  );
}

interface RenameProps {
  readonly image: LibraryImageView;
  readonly fetcher: ReturnType<typeof useFetcher<FormFailure>>;
}

/** Asks for another name. */
function Rename({ image: { id, name }, fetcher }: RenameProps): ReactNode {
  const t = useT('libraryImages');
  const ask = async (): Promise<void> => {
    const wanted = await dialogs.prompt({
      title: t('renameWhat', { name }),
      label: t('name'),
      initial: name,
      required: true,
      maxLength: IMAGE_NAME_MAX,
      ok: t('rename'),
    });
    if (wanted !== null && wanted.trim() !== '' && wanted !== name)
      await fetcher.submit({ id, name: wanted }, { method: 'post', preventScrollReset: true });
  };
  return (
    <Button variant="ghost" size="sm" icon="pencil" aria-label={t('renameWhat', { name })} onClick={() => void ask()} />
  );
}
