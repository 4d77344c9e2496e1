import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Form, useSubmit } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Button, IconButton } from '#client/ui/button.tsx';
import { ConfirmButton } from '#client/ui/confirm-button.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Icon } from '#client/ui/icon.tsx';
import { Menu } from '#client/ui/menu.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { toasts } from '#client/ui/toasts.ts';
import type { OwnImage } from '#shared/contract/images.ts';
import { IMAGE_ORDERS, type ImageOrder } from '#shared/images.ts';
import { useBytes } from './bytes.ts';

/** Search and order of the library: a form that leads to an address. */
export function LibraryBar({ q, order }: { q: string; order: ImageOrder }): ReactNode {
  const t = useT('images');
  const submit = useSubmit();
  return (
    <search>
      <Form
        key={`${q} ${order}`}
        className="sp-filterbar"
        onChange={({ currentTarget, target }) => {
          if (target instanceof HTMLSelectElement) void submit(currentTarget);
        }}
      >
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
          name="order"
          size="sm"
          aria-label={t('order')}
          defaultValue={order}
          options={IMAGE_ORDERS.map((value) => ({ value, label: t(`orders.${value}`) }))}
        />
        <noscript>
          <Button type="submit" size="sm">
            {t('apply')}
          </Button>
        </noscript>
      </Form>
    </search>
  );
}

/** Images as a grid, each with what can be done with it; those that are ticked are deleted together. */
export function ImageGrid({ rows }: { rows: readonly OwnImage[] }): ReactNode {
  const t = useT('images');
  const form = useRef<HTMLFormElement>(null);
  const [ticked, setTicked] = useState(0);
  return (
    <Form
      ref={form}
      method="post"
      key={rows.map(({ id }) => id).join()}
      onChange={({ currentTarget }) => setTicked(new FormData(currentTarget).getAll('ids').length)}
    >
      <ul className="sp-imgs">
        {rows.map((image) => (
          <ImageTile key={image.id} image={image} />
        ))}
      </ul>
      <div className="sp-imgs__foot" data-idle={ticked === 0 || undefined}>
        {ticked > 0 && <span aria-live="polite">{t('selected', { count: ticked })}</span>}
        <ConfirmButton
          size="sm"
          variant="danger-quiet"
          icon="trash"
          ask={{
            title: t('deleteMany', { count: ticked }),
            text: t('deleteText'),
            ok: t('delete'),
            tone: 'danger',
          }}
          sure={t('deleteSure')}
        >
          {t('delete')}
        </ConfirmButton>
      </div>
    </Form>
  );
}

function ImageTile({ image }: { image: OwnImage }): ReactNode {
  const t = useT('images');
  const format = useFormat();
  const bytes = useBytes();
  const { id, name, link, thumbnail, views, hidden } = image;
  const facts = [bytes(image.bytes), t('views', { count: views, amount: format.number(views) })].join(' · ');
  return (
    <li className="sp-img">
      <a className="sp-img__pic" href={link}>
        {hidden ? <Icon name="eye-off" size="lg" /> : <img src={thumbnail} alt="" loading="lazy" decoding="async" />}
        <span className="sp-sr">{name}</span>
      </a>
      {hidden && <span className="sp-img__tag">{t('hidden')}</span>}
      <span className="sp-check">
        <input type="checkbox" name="ids" value={id} aria-label={t('select', { name })} />
      </span>
      <span className="sp-img__text">
        <span className="sp-img__name" title={name}>
          {name}
        </span>
        <span className="sp-meta">{facts}</span>
      </span>
      <span className="sp-img__act">
        <IconButton
          size="sm"
          icon="copy"
          label={t('copyWhat', { name })}
          onClick={() => void copy(link, t('copied'))}
        />
        <TileMenu image={image} />
      </span>
    </li>
  );
}

async function copy(text: string, done: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  toasts.show({ tone: 'positive', title: done });
}

/** A name inside brackets of Markdown, where brackets and backslashes mean something. */
const escapeName = (name: string): string => name.replaceAll(/[\\[\]]/g, String.raw`\$&`);

function TileMenu({ image: { id, name, link, url } }: { image: OwnImage }): ReactNode {
  const t = useT('images');
  const submit = useSubmit();
  const remove = async (): Promise<void> => {
    const sure = await dialogs.confirm({
      title: t('deleteOne', { name }),
      text: t('deleteText'),
      ok: t('delete'),
      tone: 'danger',
    });
    if (sure) await submit({ ids: id, sure: 'on' }, { method: 'post' });
  };
  const copying = (text: string) => () => void copy(text, t('copied'));
  return (
    <Menu
      size="sm"
      label={t('more', { name })}
      items={[
        { id: 'link', label: t('copyLink'), icon: 'link', onSelect: copying(link) },
        { id: 'markdown', label: t('copyMarkdown'), onSelect: copying(`![${escapeName(name)}](${url})`) },
        { id: 'bbcode', label: t('copyBbcode'), onSelect: copying(`[img]${url}[/img]`) },
        { id: 'address', label: t('copyImage'), onSelect: copying(url) },
        {
          id: 'delete',
          label: t('delete'),
          icon: 'trash',
          tone: 'danger',
          divided: true,
          onSelect: () => void remove(),
        },
      ]}
    />
  );
}
